//! Polls a future again that was woken while it was polled.

use futures_util::task::AtomicWaker;
use pin_project_lite::pin_project;
use std::{
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicU8, Ordering},
    },
    task::{Context, Poll, Wake, Waker},
};

/// The future is not being polled.
const IDLE: u8 = 0;
/// The future is being polled.
const POLLED: u8 = 1;
/// The future was woken since its poll began.
const WOKEN: u8 = 2;

/// The most polls of the future in one poll of its task.
const POLLS: usize = 2;

pin_project! {
    /// A future that is polled again at once if it was woken while it was polled.
    ///
    /// tokio queues a task that wakes itself behind the others, and wakes another thread for it. That costs more than many a call. A
    /// connection of hyper wakes itself whenever a request's body is read.
    pub(super) struct PolledAgain<F> {
        #[pin]
        future: F,
        state: Arc<PollState>,
        waker: Waker,
    }
}

#[derive(Default)]
struct PollState {
    state: AtomicU8,
    /// The waker of the task.
    task: AtomicWaker,
}

impl Wake for PollState {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        if self.state.compare_exchange(POLLED, WOKEN, Ordering::SeqCst, Ordering::SeqCst) == Err(IDLE) {
            self.task.wake();
        }
    }
}

impl<F> PolledAgain<F> {
    pub(super) fn new(future: F) -> Self {
        let state = Arc::<PollState>::default();
        let waker = Waker::from(state.clone());
        Self { future, state, waker }
    }
}

impl<F: Future> Future for PolledAgain<F> {
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        let mut this = self.project();
        this.state.task.register(cx.waker());
        for _ in 0..POLLS {
            this.state.state.store(POLLED, Ordering::SeqCst);
            let polled = this.future.as_mut().poll(&mut Context::from_waker(this.waker));
            let is_woken = this.state.state.swap(IDLE, Ordering::SeqCst) == WOKEN;
            if polled.is_ready() || !is_woken {
                return polled;
            }
        }
        // A future that always wakes itself leaves turns to other tasks.
        cx.waker().wake_by_ref();
        Poll::Pending
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{
        future::poll_fn,
        pin::pin,
        sync::{Mutex, atomic::AtomicUsize},
    };

    #[derive(Default)]
    struct WakeCount(AtomicUsize);

    impl Wake for WakeCount {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }

    /// Polls a future that wakes itself at each poll until the last one. Returns its polls and the wakes of its task.
    fn poll_to_end(last: usize) -> (usize, usize) {
        let (count, mut polls) = (Arc::<WakeCount>::default(), 0);
        let waker = Waker::from(count.clone());
        let mut future = pin!(PolledAgain::new(poll_fn(|cx| {
            polls += 1;
            cx.waker().wake_by_ref();
            if polls == last { Poll::Ready(polls) } else { Poll::Pending }
        })));
        for turn in 0..last {
            assert_eq!(count.0.load(Ordering::SeqCst), turn, "each turn ends with a wake");
            if let Poll::Ready(polls) = future.as_mut().poll(&mut Context::from_waker(&waker)) {
                return (polls, count.0.load(Ordering::SeqCst));
            }
        }
        unreachable!("the future ends with its last poll");
    }

    #[test]
    fn a_future_that_wakes_itself_is_polled_again_at_once() {
        assert_eq!(poll_to_end(POLLS), (POLLS, 0));
    }

    #[test]
    fn a_future_that_always_wakes_itself_gives_up_its_turn() {
        assert_eq!(poll_to_end(2 * POLLS + 1), (2 * POLLS + 1, 2));
    }

    #[test]
    fn a_wake_between_polls_wakes_the_task() {
        let (count, kept) = (Arc::<WakeCount>::default(), Mutex::new(None::<Waker>));
        let mut future = pin!(PolledAgain::new(poll_fn(|cx| {
            *kept.lock().unwrap() = Some(cx.waker().clone());
            Poll::<()>::Pending
        })));
        let waker = Waker::from(count.clone());
        assert!(future.as_mut().poll(&mut Context::from_waker(&waker)).is_pending());
        assert_eq!(count.0.load(Ordering::SeqCst), 0);
        kept.lock().unwrap().take().unwrap().wake();
        assert_eq!(count.0.load(Ordering::SeqCst), 1);
    }
}
