//! A thread that starts processes and never ends.
//!
//! Linux sends the signal of [`parent_death`](super::parent_death) when the thread that started a child ends, even if the process
//! lives on. A thread of a runtime may end before its servers do.

use parking_lot::Mutex;
use std::{
    io,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::mpsc,
    thread,
};
use tokio::{runtime::Handle, sync::oneshot};

type Work = Box<dyn FnOnce() + Send>;

/// The sender to the thread; `None` before the first process.
static THREAD: Mutex<Option<mpsc::Sender<Work>>> = Mutex::new(None);

/// Runs `start` on the thread, within the current runtime, and returns its result. A start takes milliseconds, in which
/// other tasks of the caller's thread run.
///
/// # Errors
/// Returns the error of `start`, or of starting the thread.
pub(super) async fn start_on_thread<T: Send + 'static>(
    start: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> io::Result<T> {
    let runtime = Handle::try_current().map_err(io::Error::other)?;
    let (done, result) = oneshot::channel();
    let work = move || {
        let _runtime = runtime.enter();
        // If the caller is gone, the result is dropped, which ends a process.
        let _ = done.send(start());
    };
    way()?.send(Box::new(work)).map_err(|_| gone())?;
    result.await.map_err(|_| gone())?
}

fn way() -> io::Result<mpsc::Sender<Work>> {
    let mut way = THREAD.lock();
    if let Some(way) = &*way {
        return Ok(way.clone());
    }
    let (send, works) = mpsc::channel::<Work>();
    thread::Builder::new().name("mgp-spawn".to_owned()).spawn(move || {
        for work in works {
            // The end of this thread would be the end of every child.
            let _ = catch_unwind(AssertUnwindSafe(work));
        }
    })?;
    Ok(way.insert(send).clone())
}

fn gone() -> io::Error {
    io::Error::other("the thread that starts processes failed")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn all_work_runs_on_one_thread_which_outlives_a_panic() {
        let name = || Ok(thread::current().id());
        let first = start_on_thread(name).await.unwrap();
        assert_ne!(first, thread::current().id());
        let failed = start_on_thread(|| -> io::Result<()> { panic!("on purpose") }).await.unwrap_err();
        assert_eq!(failed.to_string(), "the thread that starts processes failed");
        assert_eq!(start_on_thread(name).await.unwrap(), first);
    }
    #[tokio::test]
    async fn other_tasks_of_the_thread_run_while_a_process_starts() {
        let (go, wait) = mpsc::channel();
        let start = start_on_thread(move || wait.recv().map_err(io::Error::other));
        let (started, sent) = tokio::join!(start, async move { go.send(7) });
        assert_eq!((started.unwrap(), sent), (7, Ok(())));
    }
}
