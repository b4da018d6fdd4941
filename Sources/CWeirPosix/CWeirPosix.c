#include "CWeirPosix.h"
