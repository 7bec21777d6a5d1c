/* The memory that this process may take. */
#ifndef RENDER_MEMORY_H
#define RENDER_MEMORY_H

#include <stdint.h>

/* Bytes: the least of what the system says is available and what is left of the control group's
 * limit (batch systems and containers set one). UINT64_MAX when neither can be read. */
uint64_t memory_available(void);

#endif
