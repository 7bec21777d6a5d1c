"""Contexts: threads, cancelling, signals, progress, logging, forks."""

import concurrent.futures
import logging
import os
import signal
import subprocess
import sys
import threading
import time
import unittest

import deepfield
from support import ROOT, SMALL, Case, need

np = need("numpy")

# Minutes of work on any machine, and all of it inside the set without a short-cut.
ENDLESS = {"place": deepfield.Place("-1.7548", "0", "1e3"), "size": (4000, 4000),
           "limit": 10**9, "planes": "count", "keys": {"compute.shortcuts": "off"}}


class Threads(Case):
    def test_two_threads_compute_at_the_same_time(self):
        expected = deepfield.render("seahorse", size=SMALL, planes="count").count
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            found = list(pool.map(
                lambda _: deepfield.render("seahorse", size=SMALL, planes="count").count, range(6)))
        for count in found:
            np.testing.assert_array_equal(count, expected)

    def test_one_context_serves_many_threads(self):
        with deepfield.Context(threads=1) as context:
            with concurrent.futures.ThreadPoolExecutor(4) as pool:
                found = list(pool.map(lambda n: deepfield.render(
                    "seahorse", size=(16 + n, 9), planes="count", context=context).shape, range(8)))
        self.assertEqual(found, [(9, 16 + n) for n in range(8)])

    def test_contexts_open_and_close(self):
        for _ in range(20):
            with deepfield.Context(backend="scalar", threads=1) as context:
                field = deepfield.render("seahorse", size=(16, 9), planes="count", context=context)
                device = context.devices()[0]
        self.assertEqual(device["backend"], "scalar")
        self.assertEqual(field.count.shape, (9, 16))  # outlives its context
        self.assertEqual(field.image().shape, (9, 16, 3))
        with self.assertRaises(deepfield.UsageError):
            deepfield.render("seahorse", context=context)
        with self.assertRaises(deepfield.Error):
            deepfield.Context(backend="abacus")
        with self.assertRaises((TypeError, deepfield.LibraryError)):  # mpi4py may be of another MPI
            deepfield.Context(comm=3)

    def test_a_forked_process_has_a_context_of_its_own(self):
        deepfield.render("seahorse", size=(16, 9), planes="count")
        context = deepfield.default_context()
        code = (f"import sys; sys.path.insert(0, {os.path.join(ROOT, 'python')!r})\n"
                "import deepfield, os\n"
                "first = deepfield.default_context()\n"
                "if not (child := os.fork()):\n"
                "    second = deepfield.default_context()\n"
                "    field = deepfield.render('seahorse', size=(16, 9), planes='count')\n"
                "    os._exit(0 if second is not first and field.shape == (9, 16) else 1)\n"
                "sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))\n")
        subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
        self.assertIs(deepfield.default_context(), context)


class Cancelling(Case):
    def test_interrupt_ends_a_call(self):
        main = threading.main_thread().ident
        with deepfield.Context() as context:
            timer = threading.Timer(0.3, signal.pthread_kill, (main, signal.SIGINT))
            timer.start()
            with self.assertRaises(KeyboardInterrupt):
                deepfield.render(context=context, **ENDLESS)
            timer.join()
            field = deepfield.render("seahorse", size=SMALL, planes="count", context=context)
            self.assertEqual(field.shape, (54, 96))

    def test_jobs_are_cancelled(self):
        with deepfield.Context() as context:
            first = deepfield.submit(context=context, **ENDLESS)
            second = deepfield.submit("seahorse", size=SMALL, planes="count", context=context)
            third = deepfield.submit("seahorse", size=SMALL, planes="count", context=context)
            while not first.running():
                time.sleep(0.01)
            self.assertTrue(third.cancel())
            self.assertTrue(first.cancel())
            with self.assertRaises(concurrent.futures.CancelledError):
                first.result(timeout=60)
            self.assertTrue(first.cancelled() and third.cancelled())
            self.assertEqual(second.result(timeout=60).shape, (54, 96))
            self.assertFalse(second.cancel())
            done, _ = concurrent.futures.wait([first, second], timeout=60)
            self.assertEqual(len(done), 2)

    def test_a_cancel_that_is_late_spares_the_next_call(self):
        with deepfield.Context(threads=1) as context:
            for _ in range(30):
                job = deepfield.submit("seahorse", size=(16, 9), planes="count", context=context)
                time.sleep(0.001)
                job.cancel()
                field = deepfield.render("seahorse", size=(16, 9), planes="count", context=context)
                self.assertEqual(field.shape, (9, 16))

    def test_closing_ends_what_is_computed(self):
        context = deepfield.Context()
        job = deepfield.submit(context=context, **ENDLESS)
        while not job.running():
            time.sleep(0.01)
        context.close()
        self.assertTrue(job.cancelled())

    def test_cancel_of_a_context(self):
        with deepfield.Context() as context:
            threading.Timer(0.2, context.cancel).start()
            with self.assertRaises(deepfield.StoppedError) as caught:
                deepfield.render(context=context, **ENDLESS)
            self.assertEqual(caught.exception.status, 10)


class Telling(Case):
    def test_progress_is_told_on_the_callers_thread(self):
        seen, threads = [], set()

        def tell(state):
            seen.append(state)
            threads.add(threading.get_ident())
            if len(seen) == 3:
                raise RuntimeError("enough")

        with self.assertRaisesRegex(RuntimeError, "enough"):
            deepfield.render(progress=tell, **ENDLESS)
        self.assertEqual(threads, {threading.get_ident()})
        self.assertTrue(0 <= seen[-1].done <= 1)
        self.assertIn(seen[-1].stage, ("orbit", "pixels"))

    def test_a_bar_is_moved(self):
        class Bar:
            total, n = None, 0

            def update(self, by):
                self.n += by
                if self.total is not None and by >= 0 and self.moves > 2:
                    raise RuntimeError("enough")
                self.moves += 1

            moves = 0

        bar = Bar()
        with self.assertRaises(RuntimeError):
            deepfield.render(progress=bar, **ENDLESS)
        self.assertEqual(bar.total, 1.0)
        with self.assertRaises(TypeError):
            deepfield.render("seahorse", progress=3)

    def test_a_job_knows_how_far_it_is(self):
        with deepfield.Context() as context:
            job = deepfield.submit(context=context, **ENDLESS)
            while job.progress is None:
                time.sleep(0.01)
            self.assertGreaterEqual(job.progress.seconds, 0)
            job.cancel()

    def test_the_logger_is_silent_by_itself(self):
        with self.assertNoLogs("deepfield", logging.WARNING) if hasattr(
                self, "assertNoLogs") else self.subTest():
            deepfield.render("seahorse", size=SMALL, planes="count")


if __name__ == "__main__":
    unittest.main()
