#include "CWeirCurl.h"
