/* Messages to a service manager that the program is up, and that it is still alive, by the protocol
 * of sd_notify(3): a datagram to the socket that NOTIFY_SOCKET names; without that variable nothing
 * is sent. A picture that was presented is the only sign of life. */
#ifndef APP_VIEWER_KIOSK_WATCHDOG_H
#define APP_VIEWER_KIOSK_WATCHDOG_H

struct watchdog {
    int socket;    /* -1: no service manager */
    double said_s; /* time of the last message; 0: none yet */
};

struct watchdog watchdog_open(void);
void watchdog_close(struct watchdog *watchdog);

/* Reports that a picture is on the screen. Sends at most twice a second; never blocks. */
void watchdog_presented(struct watchdog *watchdog, double now_s);

#endif
