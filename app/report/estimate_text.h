/* Predicted values as texts for people. Pure. */
#ifndef APP_REPORT_ESTIMATE_TEXT_H
#define APP_REPORT_ESTIMATE_TEXT_H

#include <stddef.h>

/* "about 4 to 6 min"; most_s INFINITY: not known */
void estimate_text(double least_s, double most_s, char *text, size_t bytes);

/* Decimal places that show two figures of a predicted value. */
int decimals_of(double value);

/* "2 CPU cores", "4 GPUs" */
void estimate_devices_text(int gpus, int threads, char *text, size_t bytes);

#endif
