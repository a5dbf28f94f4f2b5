//! Runs work in several threads.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Works on all items, with one thread for each lane: a thread takes the next free item. The results are in unspecified order.
///
/// # Errors
/// All errors, one per line. A thread that met one takes no further items.
pub(crate) fn in_lanes<L: Sync, T: Sync, R: Send>(
    lanes: &[L],
    items: &[T],
    work: impl Fn(&L, &T) -> Result<R, String> + Sync,
) -> Result<Vec<R>, String> {
    let next = AtomicUsize::new(0);
    let run = |lane: &L| {
        let mut done = Vec::new();
        while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
            done.push(work(lane, item)?);
        }
        Ok::<_, String>(done)
    };
    let ended: Vec<_> = thread::scope(|scope| {
        let threads: Vec<_> = lanes.iter().map(|lane| scope.spawn(|| run(lane))).collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap_or_else(|_| Err("a thread panicked".to_owned())))
            .collect()
    });
    let (mut done, mut errors) = (Vec::new(), Vec::new());
    for lane in ended {
        match lane {
            Ok(of_lane) => done.extend(of_lane),
            Err(error) => errors.push(error),
        }
    }
    if errors.is_empty() { Ok(done) } else { Err(errors.join("\n")) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::{Barrier, LazyLock};

    #[test]
    fn each_item_is_worked_on_once_and_each_error_is_reported() {
        static BOTH: LazyLock<Barrier> = LazyLock::new(|| Barrier::new(2));
        let mut done = in_lanes(&[(), ()], &[1, 2, 3, 4, 5], |(), item| Ok(item * 10)).unwrap();
        done.sort_unstable();
        assert_eq!(done, [10, 20, 30, 40, 50]);
        let failed = in_lanes(&["one"], &[1, 2, 3], |lane, item| match item {
            2 => Err(format!("{lane} failed at {item}")),
            _ => Ok(()),
        });
        assert_eq!(failed.unwrap_err(), "one failed at 2");
        let all_failed = in_lanes(&["a", "b"], &[(), ()], |lane, ()| -> Result<(), String> {
            // Both lanes have an item before one ends.
            BOTH.wait();
            Err(format!("{lane} failed"))
        });
        assert_eq!(all_failed.unwrap_err(), "a failed\nb failed");
        let panicked = in_lanes(&[()], &[()], |(), ()| -> Result<(), String> { panic!("on purpose") });
        assert_eq!(panicked.unwrap_err(), "a thread panicked");
    }
}
