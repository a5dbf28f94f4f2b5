//! The callers: one that waits for each answer before the next call, or many at once.

use super::Round;
use std::{
    sync::Arc,
    time::{Duration, Instant},
};
use tokio::sync::Barrier;

/// A caller that can be called repeatedly, and concurrently.
pub(crate) trait Caller: Clone + Send + Sync + 'static {
    /// Makes one call and checks its answer. `number` differs from call to call.
    fn call(&self, number: i64) -> impl Future<Output = Result<(), String>> + Send;
}

/// Runs one caller that makes its next call after the answer to the last.
pub(crate) async fn one_by_one<C: Caller>(caller: C, calls: usize) -> Result<Round, String> {
    all_at_once(caller, 1, calls).await
}

/// Runs many callers on one connection, each making its next call after the answer to its last.
pub(crate) async fn all_at_once<C: Caller>(caller: C, callers: usize, calls: usize) -> Result<Round, String> {
    each_its_own(vec![caller; callers], calls).await
}

/// Runs callers with a connection each, each making its next call after the answer to its last.
pub(crate) async fn each_its_own<C: Caller>(callers: Vec<C>, calls: usize) -> Result<Round, String> {
    let each = calls.div_ceil(callers.len().max(1));
    let start = Arc::new(Barrier::new(callers.len()));
    let mut all = Vec::with_capacity(callers.len() * each);
    let tasks: Vec<_> = callers
        .into_iter()
        .enumerate()
        .map(|(index, caller)| {
            let start = start.clone();
            tokio::spawn(async move {
                start.wait().await;
                make(&caller, index, each).await
            })
        })
        .collect();
    let (mut began, mut ended) = (None, None);
    for task in tasks {
        let (calls, first, last) = task.await.map_err(|error| format!("a caller died: {error}"))??;
        all.extend(calls);
        began = Some(began.map_or(first, |began: Instant| began.min(first)));
        ended = Some(ended.map_or(last, |ended: Instant| ended.max(last)));
    }
    let whole = began.zip(ended).map_or(Duration::ZERO, |(began, ended)| ended - began);
    Ok(Round::new(all, whole))
}

/// Makes the calls of one caller. Returns the duration of each call, and the times at which they began and ended.
async fn make<C: Caller>(
    caller: &C,
    index: usize,
    calls: usize,
) -> Result<(Vec<Duration>, Instant, Instant), String> {
    let mut took = Vec::with_capacity(calls);
    let began = Instant::now();
    let mut last = began;
    for number in 0..calls {
        let number = i64::try_from(index * calls + number).map_err(|error| error.to_string())?;
        caller.call(number).await?;
        let now = Instant::now();
        took.push(now - last);
        last = now;
    }
    Ok((took, began, last))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    #[derive(Clone, Default)]
    struct Book(Arc<Mutex<Vec<i64>>>);

    impl Caller for Book {
        async fn call(&self, number: i64) -> Result<(), String> {
            tokio::task::yield_now().await;
            self.0.lock().unwrap().push(number);
            if number == 77 { Err("not 77".into()) } else { Ok(()) }
        }
    }

    #[tokio::test]
    async fn many_callers_share_the_calls_without_repeating_a_number() {
        let book = Book::default();
        all_at_once(book.clone(), 8, 64).await.unwrap();
        let mut numbers = book.0.lock().unwrap().clone();
        numbers.sort_unstable();
        assert_eq!(numbers, (0..64).collect::<Vec<_>>());
    }

    #[tokio::test]
    async fn a_call_that_fails_ends_the_bench() {
        assert_eq!(one_by_one(Book::default(), 100).await, Err("not 77".into()));
    }
}
