/* The document that --json puts on stdout: the report of the command or, where there is none, an
 * error; of several pictures one for each. */
#ifndef APP_REPORT_DOCUMENT_H
#define APP_REPORT_DOCUMENT_H

#include <stdbool.h>

#include "render/disk/json.h"

/* Ends and prints it, with the end of its line. STATUS_OUT_OF_MEMORY: nothing was printed. */
enum status document_end(struct json *json);

/* Prints that of a failure. view: the view that could not be rendered; NULL: none is named. */
void document_failure(int code, const char *text, const char *view);

/* Has this process printed one? What fails afterwards is told by stderr and the exit code. */
bool document_printed(void);

#endif
