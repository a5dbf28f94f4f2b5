//! A host whose session should answer at all times.

use super::{Context, Gap};
use crate::{hosts::Era, ledger::Answer, replicas::machines::Role};
use serde_json::json;
use std::time::Duration;
use tokio::time::Instant;

/// The pause after an answer, and after a failure.
const PAUSE: Duration = Duration::from_millis(100);
const AGAIN: Duration = Duration::from_millis(20);
/// The shortest gap that is noted.
const GAP: Duration = Duration::from_millis(300);
/// The first number of the hosts. It is even, as those of hosts with sessions.
const FIRST: usize = 20_000;

/// Pings in one session until the end of the run, and notes when nothing answered.
pub(crate) async fn probe(context: Context, number: usize, agents: usize) {
    let mut host = context.host(Role::Worker(number % agents), context.balancer, FIRST + 2 * number);
    let mut last: Option<Instant> = None;
    let (mut attempts, mut longest) = (0, Duration::ZERO);
    while !context.is_stopped() {
        if host.session.is_none() {
            if last.take().is_some() {
                context.outcomes.change(|book| book.lost_sessions += 1);
            }
            if !context.open(&mut host).await {
                return;
            }
        }
        let (ticket, sent) = (context.ledger.send("ping"), Instant::now());
        let message = Era::Sessions.request(ticket.id(), "ping", json!({}), None);
        let is_answered = match host.exchange(&message, ticket.id(), "ping").await {
            Ok(response) => {
                let answer = response.answer();
                let is_answered = answer == Answer::Result;
                ticket.answered(answer, response.answers.len());
                is_answered
            }
            Err(why) => {
                ticket.lost(&why);
                false
            }
        };
        (attempts, longest) = (attempts + 1, longest.max(sent.elapsed()));
        if is_answered {
            let now = Instant::now();
            if let Some(from) = last.filter(|from| now - *from > GAP) {
                context
                    .outcomes
                    .change(|book| book.gaps.push(Gap { from, to: now, probe: number, attempts, longest }));
            }
            (last, attempts, longest) = (Some(now), 0, Duration::ZERO);
        }
        tokio::time::sleep(if is_answered { PAUSE } else { AGAIN }).await;
    }
    host.say_goodbye().await;
}
