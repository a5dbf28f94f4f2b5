//! Two contestants in turn, so that a noisy machine disturbs both alike.

use super::{Round, Rounds, Settings, Side};

/// The rounds of both sides.
#[derive(Debug, Default)]
pub(crate) struct Contest {
    pub(crate) ours: Rounds,
    pub(crate) peer: Rounds,
}

/// Runs one round of each to warm up, then the rounds that count: ours, the peer's, ours, the peer's.
pub(crate) async fn compare<O, P>(
    settings: &Settings,
    ours: impl Fn() -> O,
    peer: impl Fn() -> P,
) -> Result<Contest, String>
where
    O: Future<Output = Result<Round, String>>,
    P: Future<Output = Result<Round, String>>,
{
    let mut contest = Contest::default();
    for round in 0..=settings.rounds {
        let counts = round > 0;
        if settings.runs(Side::Ours) {
            let measured = ours().await?;
            if counts {
                contest.ours.push(measured);
            }
        }
        if settings.runs(Side::Peer) {
            let measured = peer().await?;
            if counts {
                contest.peer.push(measured);
            }
        }
    }
    Ok(contest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;

    #[tokio::test]
    async fn the_sides_alternate_and_their_first_rounds_do_not_count() {
        let order = RefCell::new(String::new());
        let round = |side: char, warm: f64| {
            order.borrow_mut().push(side);
            let first = order.borrow().matches(side).count() == 1;
            std::future::ready(Ok(Round { p50: if first { 1e9 } else { warm }, p99: 0.0, throughput: 0.0 }))
        };
        let settings = Settings { rounds: 1, ..Settings::default() };
        let contest = compare(&settings, || round('o', 1.0), || round('p', 2.0)).await.unwrap();
        assert_eq!(order.borrow().as_str(), "opop");
        let p50 = |round: &Round| round.p50;
        assert_eq!((contest.ours.median(p50), contest.peer.median(p50)), (1.0, 2.0));
    }

    #[tokio::test]
    async fn a_profiler_can_run_only_one_side() {
        let settings = Settings { rounds: 1, only: Some(Side::Peer), ..Settings::default() };
        let never = || std::future::ready(Err("ours ran".to_owned()));
        let round = || std::future::ready(Ok(Round { p50: 1.0, p99: 1.0, throughput: 1.0 }));
        assert!(compare(&settings, never, round).await.is_ok());
        assert!(compare(&settings, round, never).await.is_err());
    }
}
