/* Messages of the program on stderr. */
#ifndef APP_PROCESS_MESSAGE_H
#define APP_PROCESS_MESSAGE_H

/* A sentence on stderr, as one line, whatever the names of files in it contain. */
void message_print(const char *text);

#endif
