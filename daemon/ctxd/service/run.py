"""`ctxd run`: puts the daemon together, runs it, takes it apart.

Order matters: the lock comes first, so that nothing of a second daemon ever touches the ledger, and
readiness is told only when everything has been looked at once. A stop is clean: the step under way
is finished and committed, everything else is done at the next start.
"""

from __future__ import annotations

import logging
import logging.handlers
import os
import signal
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC
from pathlib import Path

from ctxd import __version__
from ctxd.context_files.keeper import Keeper, stamp_of
from ctxd.context_files.modes import Mode
from ctxd.context_files.receipts import Receipts
from ctxd.errors import CtxdError
from ctxd.hooks.answers import Answers
from ctxd.inventory import Inventory
from ctxd.ledger import Ledger
from ctxd.notify.notifier import Means, Notifier
from ctxd.orders import Orders
from ctxd.pipeline import Pipeline
from ctxd.places import Places
from ctxd.policy.daemon import HEARTBEAT_SECONDS, LOG_BYTES, LOG_FILES, PRUNE_HOUR
from ctxd.service.asking import Answer, Request, control_address
from ctxd.service.compacted import Doings, left_to_user, put_back
from ctxd.service.control import ControlServer
from ctxd.service.loop import Loop, Parts
from ctxd.service.notify_manager import ping_seconds, tell_manager
from ctxd.service.second import Second
from ctxd.service.single import Instance
from ctxd.service.timing import Clock
from ctxd.settings import FILE as SETTINGS_FILE
from ctxd.settings import Settings, load_settings
from ctxd.status import ledger_path
from ctxd.watch import Watcher
from ctxd_parsers.environment import Environment
from ctxd_parsers.registry import PARSERS

log = logging.getLogger(__name__)


def run(places: Places, clock: Clock | None = None) -> None:
    """Be the daemon until told to stop; raise CtxdError when it cannot be started."""
    clock = clock or Clock()
    os.umask(0o077)
    settings = load_settings(places.config)
    for folder in (places.state, places.log, places.runtime):
        make_private(folder)
    with ExitStack() as stack:
        stack.enter_context(_logging_to(places.log / "ctxd.log"))
        instance = Instance(places.state)
        instance.claim(clock.wall())
        stack.callback(instance.release)
        ledger = Ledger.open(ledger_path(places.state))
        stack.callback(ledger.close)
        service = _Service(places, ledger, settings, clock)
        stack.callback(service.close)
        stack.enter_context(_signals(service))
        stack.enter_context(_calendar(service.loop, ledger, clock))
        service.listen()
        log.info("started version=%s pid=%d", __version__, os.getpid())
        service.loop.turn()
        tell_manager(f"READY=1\nSTATUS=watching {len(service.watcher.state())} places")
        service.loop.run()
        tell_manager("STOPPING=1")
        log.info("stopped")


class _Service:
    """The running parts, as far as signals and the control socket change them."""

    def __init__(self, places: Places, ledger: Ledger, settings: Settings, clock: Clock) -> None:
        self._places = places
        self._ledger = ledger
        self._control: ControlServer | None = None
        self._settings = settings
        inventory = self._inventory(settings)
        self.watcher = Watcher(inventory.folders, self.wake, polling=settings.polling)
        receipts = Receipts(places.receipts)
        self._keeper = Keeper(ledger, receipts, self._mode_of, (clock.monotonic, clock.wall))
        notifier = self._notifier = self._made_notifier(clock)
        self._keeper.left = left_to_user(notifier, clock)
        pipeline = Pipeline(ledger, clock.wall)
        live_since = lambda: pipeline.understanding.live_since  # noqa: E731
        self._second = Second(ledger, places.state, clock, live_since)
        parts = Parts(
            ledger,
            pipeline,
            inventory,
            self.watcher,
            tick=self._tick,
            tick_seconds=min(HEARTBEAT_SECONDS, ping_seconds() or HEARTBEAT_SECONDS),
            keeper=self._keeper,
            orders=Orders(ledger, receipts, self._mode_of, clock.wall),
            listeners=(put_back(self._keeper), notifier.at, self._second.compacted),
            notifier=notifier,
            second=self._second,
        )
        self.loop = Loop(parts, clock)
        self._second.choose(settings.reader)
        self._hooks = Answers(ledger, self.loop, clock)
        self.reloading = False
        """A reload is asked for and not done yet: further ones would do the same again."""
        self._settings_stamp = stamp_of(str(places.config / SETTINGS_FILE))
        self._tell_settings_error("")
        self.watcher.start()

    def wake(self) -> None:
        """Tell the loop that something may have changed; the watcher may be there before it."""
        loop = getattr(self, "loop", None)
        if loop is not None:
            loop.wake()

    def listen(self) -> None:
        """Answer on the control socket."""
        address = control_address(self._places.runtime)
        if os.name != "nt":
            Path(address).unlink(missing_ok=True)
        self._control = ControlServer(address, self._answer, self._hooks.answer)
        self._control.start()

    def ask_to_reload(self) -> None:
        """Have the loop take the settings from disk again. Safe to call in a signal handler."""
        if not self.reloading:
            self.reloading = True
            self.loop.call(self._reload)

    def _tick(self) -> None:
        """Tell the service manager that the loop is alive; take settings up that were edited."""
        tell_manager("WATCHDOG=1")
        stamp = stamp_of(str(self._places.config / SETTINGS_FILE))
        if stamp != self._settings_stamp:
            self._settings_stamp = stamp
            self.ask_to_reload()

    def _reload(self) -> None:
        self.reloading = False
        try:
            settings = load_settings(self._places.config)
        except CtxdError as error:
            log.error("settings not reloaded: %s", error.message)  # noqa: TRY400 - no defect
            self._tell_settings_error(error.message)
            return
        self._tell_settings_error("")
        self._settings = settings
        self._keeper.look_now()
        self._second.choose(settings.reader)
        old = self.watcher
        inventory = self._inventory(settings)
        self.watcher = Watcher(inventory.folders, self.wake, polling=settings.polling)
        self.watcher.start()
        self.loop.look_elsewhere(inventory, self.watcher)
        old.stop()
        log.info("settings reloaded")

    def _tell_settings_error(self, message: str) -> None:
        """Keep for `ctxd status` why settings are not in use; empty when they are."""
        if (self._ledger.meta("settings_error") or "") != message:
            self._ledger.set_meta("settings_error", message)

    def close(self) -> None:
        """Stop what was started."""
        if self._control is not None:
            self._control.close()
        self._hooks.close()
        self._notifier.close()
        self._second.close()
        self.watcher.stop()

    def _answer(self, request: Request) -> Answer:
        if request.command == "reload":
            self.ask_to_reload()
            return Answer(ok=True, message="reloading")
        return self.loop.submit(request)

    def _made_notifier(self, clock: Clock) -> Notifier:
        means = Means(
            wishes=lambda: self._settings.notify,
            monotonic=clock.monotonic,
            wall=clock.wall,
            done=Doings(self._ledger, self._places.state).done,
        )
        return Notifier(self._ledger, means)

    def _mode_of(self, root: Path) -> Mode:
        return self._settings.mode_of(root)

    def _inventory(self, settings: Settings) -> Inventory:
        env = Environment.current(settings.extra_roots)
        return Inventory(env, PARSERS)


def make_private(folder: Path) -> None:
    """Make a folder that only its user may enter; raise CtxdError when that cannot be."""
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        if os.name != "nt" and folder.stat().st_mode & 0o077:
            folder.chmod(0o700)
    except OSError as error:
        raise CtxdError(
            f"cannot use `{folder}`: {error.strerror}", "`ctxd paths` shows every folder in use"
        ) from error


@contextmanager
def _signals(service: _Service) -> Iterator[None]:
    """SIGTERM and SIGINT stop, SIGHUP reloads; a second SIGINT ends at once."""

    def stop(number: int, _frame: object) -> None:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        log.info("signal=%s", signal.Signals(number).name)
        service.loop.stop()

    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    if hasattr(signal, "SIGHUP"):
        before[signal.SIGHUP] = signal.getsignal(signal.SIGHUP)
        signal.signal(signal.SIGHUP, lambda *_: service.ask_to_reload())
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def _calendar(loop: Loop, ledger: Ledger, clock: Clock) -> Iterator[None]:
    """Jobs by the calendar. They run on the loop's thread: the scheduler only leaves word.

    A clock set back must not silence a job for as long as it was set back (agronholm/apscheduler
    #339), so the loop wakes the scheduler when the clocks part.
    """
    from apscheduler.schedulers.background import BackgroundScheduler

    defaults = {"coalesce": True, "misfire_grace_time": None, "max_instances": 1}
    try:
        scheduler = BackgroundScheduler(job_defaults=defaults)
    except (LookupError, ValueError) as error:  # the system names a time zone that does not exist
        log.warning("calendar in UTC: %s", error)
        scheduler = BackgroundScheduler(job_defaults=defaults, timezone=UTC)

    def prune() -> None:
        loop.call(lambda: ledger.prune(clock.wall()))

    scheduler.add_job(prune, "cron", hour=PRUNE_HOUR, id="prune")
    scheduler.start()
    loop.on_clock_jump = scheduler.wakeup
    try:
        yield
    finally:
        scheduler.shutdown(wait=False)


@contextmanager
def _logging_to(path: Path) -> Iterator[None]:
    """The daemon's log: one line an event, never a session's text, bounded in size."""
    handler = logging.handlers.RotatingFileHandler(
        path, maxBytes=LOG_BYTES, backupCount=LOG_FILES, encoding="utf-8", errors="backslashreplace"
    )
    handler.setFormatter(
        logging.Formatter("%(asctime)s %(levelname)s %(name)s %(message)s", "%Y-%m-%dT%H:%M:%S%z")
    )
    logging.raiseExceptions = False  # a log that cannot be written is no reason to fill another one
    root = logging.getLogger()
    level = root.level
    root.addHandler(handler)
    root.setLevel(logging.INFO)
    path.chmod(0o600)
    logging.getLogger("apscheduler").setLevel(logging.WARNING)
    try:
        yield
    finally:
        root.removeHandler(handler)
        root.setLevel(level)
        handler.close()
