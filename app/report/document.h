/* The one document that --json puts on stdout: the report of the command or, where there is none,
 * an error. */
#ifndef APP_REPORT_DOCUMENT_H
#define APP_REPORT_DOCUMENT_H

#include <stdbool.h>

#include "render/disk/json.h"

/* Ends and prints it, with the end of its line. STATUS_OUT_OF_MEMORY: nothing was printed. */
enum status document_end(struct json *json);

/* Has this process printed one? What fails afterwards is told by stderr and the exit code. */
bool document_printed(void);

#endif
