//! Calls with an idempotency key, which are repeated until they are answered.

use super::{
    attempt::{Attempt, params, pause},
    worker::{WORK_MS, Worker},
};
use serde_json::json;
use std::ops::Range;

/// The most attempts.
const ATTEMPTS: usize = 40;
/// The bounds of the pause before another attempt, in milliseconds.
const PAUSE_MS: Range<u64> = 100..1000;
/// The most attempts with an error that is not retryable, such as that of an unknown outcome: another attempt gets the same answer.
const REFUSALS: usize = 3;

/// Makes one call. One in four is repeated although it was answered, with the same key.
pub(super) async fn call(worker: &mut Worker) {
    let (tool, operation) = (worker.tool("note"), worker.operation());
    let ms = worker.host.random.within(WORK_MS);
    let params = params(&tool, &operation, ms, json!({"idempotency_key": operation}));
    let outcomes = worker.context.outcomes.clone();
    let mut left = if worker.host.random.below(4) == 0 { 2 } else { 1 };
    let mut refusals = 0;
    for attempt in 0..ATTEMPTS {
        if attempt > 0 {
            outcomes.change(|book| book.repeated += 1);
            pause(&mut worker.host, PAUSE_MS).await;
        }
        match worker.context.attempt(&mut worker.host, "note with a key", params.clone()).await {
            Attempt::Done(_) => {
                outcomes.acknowledge("note", &operation);
                left -= 1;
                if left == 0 {
                    return;
                }
            }
            Attempt::Refused { is_retryable: false, .. } => {
                refusals += 1;
                if refusals == REFUSALS {
                    return outcomes.change(|book| book.unknown_keys += 1);
                }
            }
            Attempt::Refused { .. } | Attempt::Lost => {}
        }
    }
}
