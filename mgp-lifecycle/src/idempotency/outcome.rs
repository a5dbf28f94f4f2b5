//! The part of a call's end that is kept.

use super::{KeptAnswer, Outcome};
use mgp_transport::seam::{CallRecord, Reply};
use mgp_types::{error::Recovery, mcp::McpErrorCode, rpc::ErrorObject};

/// Returns the outcome to keep of a call that ended, or `None` if the call may be made again under the same key. A reply of `None` is a
/// failure of the infrastructure.
///
/// A call frees its key if it was certainly not sent, or if its server certainly refused it before anything ran. So does an error that states
/// that a retry is safe, or that did so before the kernel's own retries ended. The server's answer is kept, errors included. The outcome of
/// every other call is unknown.
pub(crate) fn outcome(reply: Option<&Reply>, record: &CallRecord) -> Option<Outcome> {
    let (ran_nothing, answered, given_up) =
        record.update(|record| (record.has_run_nothing(), record.answered, record.given_up));
    if ran_nothing {
        return None;
    }
    match reply {
        Some(reply) if reply.is_cancelled() => Some(Outcome::Unknown),
        Some(reply) => match (reply.as_error(), reply.result()) {
            (Some(error), _) => of_error(error, answered, given_up),
            (None, Some(result)) => Some(Outcome::Done(KeptAnswer::Result(result.clone()))),
            (None, None) => Some(Outcome::Unknown),
        },
        None => Some(Outcome::Unknown),
    }
}

fn of_error(error: &ErrorObject, answered: Option<bool>, given_up: bool) -> Option<Outcome> {
    let advice = Recovery::from_error(error);
    if advice.as_ref().is_some_and(Recovery::is_outcome_unknown) {
        return Some(Outcome::Unknown);
    }
    // The server expects the same call again, once the user has visited a page.
    let asks_again = error.code == i64::from(McpErrorCode::UrlElicitationRequired);
    if asks_again || given_up || advice.is_some_and(|advice| advice.retryable) {
        return None;
    }
    Some(match answered {
        Some(true) => Outcome::Done(KeptAnswer::Error(error.clone())),
        _ => Outcome::Unknown,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use mgp_types::{error::ErrorCode, json::RawJson};

    #[test]
    fn an_answer_is_kept_unless_the_server_never_got_the_call() {
        let result = Reply::ok(RawJson::empty_object());
        let own = Reply::error(ErrorObject::new(-32000_i64, "the server's own"));
        let unsent = Reply::error(ErrorCode::ServerRestarting.error("it starts"));
        let lost = Reply::error(ErrorCode::Timeout.error_outcome_unknown("no answer"));
        let page = Reply::error(ErrorObject::new(McpErrorCode::UrlElicitationRequired, "visit"));
        let cancelled = Reply::cancelled(RawJson::empty_object());
        let done = |answer| Some(Outcome::Done(answer));
        let own_error = || done(KeptAnswer::Error(own.as_error().unwrap().clone()));
        let kept = || done(KeptAnswer::Result(RawJson::empty_object()));
        for (reply, attempts, answered, expected) in [
            (Some(&result), 1, Some(true), kept()),
            (Some(&result), 3, Some(true), kept()),
            (Some(&own), 1, Some(true), own_error()),
            (Some(&own), 1, Some(false), Some(Outcome::Unknown)),
            (Some(&own), 1, None, Some(Outcome::Unknown)),
            (Some(&own), 0, None, None),
            (Some(&unsent), 1, Some(true), None),
            (Some(&lost), 1, Some(true), Some(Outcome::Unknown)),
            (Some(&lost), 0, None, None),
            (Some(&page), 1, Some(true), None),
            (Some(&cancelled), 1, None, Some(Outcome::Unknown)),
            (Some(&cancelled), 0, None, None),
            (None, 1, Some(false), Some(Outcome::Unknown)),
            (None, 0, None, None),
        ] {
            let record = CallRecord::new();
            record.update(|record| (record.attempts, record.answered) = (attempts, answered));
            assert_eq!(outcome(reply, &record), expected, "{reply:?} {attempts} {answered:?}");
        }
    }

    #[test]
    fn a_call_whose_attempts_ran_nothing_may_be_repeated() {
        let refused = Reply::error(ErrorCode::AuthRequired.error("the server answered with HTTP 401"));
        for (attempts, ran_nothing, expected) in
            [(1, 1, None), (2, 2, None), (2, 1, Some(Outcome::Unknown)), (1, 0, Some(Outcome::Unknown))]
        {
            let record = CallRecord::new();
            record.update(|record| (record.attempts, record.ran_nothing) = (attempts, ran_nothing));
            assert_eq!(outcome(Some(&refused), &record), expected, "{ran_nothing} of {attempts}");
        }
    }

    #[test]
    fn an_error_after_the_kernel_s_retries_frees_the_key() {
        let record = CallRecord::new();
        let advice = Recovery::of(ErrorCode::RateLimited).without_retry();
        let slow = Reply::error(ErrorCode::RateLimited.error_with("slow down", advice));
        record.update(|record| (record.attempts, record.answered) = (4, Some(true)));
        assert!(matches!(outcome(Some(&slow), &record), Some(Outcome::Done(_))), "it allows no retry");
        record.update(|record| record.given_up = true);
        assert_eq!(outcome(Some(&slow), &record), None);
        let lost = Reply::error(ErrorCode::Timeout.error_outcome_unknown("no answer"));
        assert_eq!(outcome(Some(&lost), &record), Some(Outcome::Unknown));
    }
}
