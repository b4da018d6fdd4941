#ifndef C_ALLOCATIONS_H
#define C_ALLOCATIONS_H

#include <stdint.h>

/// How often this process has taken memory from the heap so far; 0 for good where it cannot be counted.
uint64_t bench_allocation_count(void);

/// The bytes of the heap that are in use; 0 where that is not known.
uint64_t bench_bytes_in_use(void);

#endif
