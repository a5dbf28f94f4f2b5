//! The order of the events of several trails.

use super::super::page::TrailPosition;
use std::collections::VecDeque;

/// An event that was read from a trail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ReadEvent {
    /// The time in microseconds since 1970.
    pub(super) at: i64,
    pub(super) place: TrailPosition,
    pub(super) event: String,
}

/// The events of a trail that were read after a position.
#[derive(Debug)]
pub(super) struct TrailEvents {
    pub(super) trail: String,
    pub(super) events: VecDeque<ReadEvent>,
    /// The position after the events that are taken so far.
    pub(super) position: TrailPosition,
    /// The position after all events of the trail, if all that match were read.
    pub(super) end: Option<TrailPosition>,
}

/// Takes up to `most` events, by their time, then by their trail. Events of one trail keep their order, even if their times do not grow. Moves the
/// positions of the trails, and returns the events with the indexes of their trails.
pub(super) fn merge(trails: &mut [TrailEvents], most: usize) -> Vec<(usize, ReadEvent)> {
    let mut taken = Vec::new();
    while taken.len() < most {
        let first = trails
            .iter()
            .enumerate()
            .filter_map(|(at, trail)| trail.events.front().map(|event| (event.at, &trail.trail, at)));
        let Some((_, _, at)) = first.min() else { break };
        if let Some((trail, event)) =
            trails.get_mut(at).and_then(|trail| trail.events.pop_front().map(|event| (trail, event)))
        {
            trail.position = event.place;
            taken.push((at, event));
        }
    }
    for trail in trails.iter_mut().filter(|trail| trail.events.is_empty()) {
        trail.position = trail.end.unwrap_or(trail.position);
    }
    taken
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trail(id: &str, times: &[i64], end: Option<i64>) -> TrailEvents {
        let place = |seq| TrailPosition { seq, day: 0 };
        let events = (1..).zip(times).map(|(seq, at)| ReadEvent {
            at: *at,
            place: place(seq),
            event: format!("{id}{seq}"),
        });
        TrailEvents {
            trail: id.to_owned(),
            events: events.collect(),
            position: place(0),
            end: end.map(place),
        }
    }

    fn names(taken: &[(usize, ReadEvent)]) -> Vec<&str> {
        taken.iter().map(|(_, event)| event.event.as_str()).collect()
    }

    #[test]
    fn events_are_ordered_by_time_then_by_trail() {
        let mut trails = [trail("b", &[1, 5], Some(9)), trail("a", &[1, 3, 7], Some(3))];
        assert_eq!(names(&merge(&mut trails, 3)), ["a1", "b1", "a2"]);
        let positions = trails.each_ref().map(|trail| trail.position.seq);
        assert_eq!(positions, [1, 2], "the rest comes with the next page");
        assert_eq!(names(&merge(&mut trails, 3)), ["b2", "a3"]);
        assert_eq!(trails.each_ref().map(|trail| trail.position.seq), [9, 3]);
    }

    #[test]
    fn a_trail_keeps_its_order_when_a_clock_goes_back() {
        let mut trails = [trail("a", &[8, 2], None), trail("b", &[4], None)];
        assert_eq!(names(&merge(&mut trails, 9)), ["b1", "a1", "a2"]);
        assert_eq!(trails[0].position.seq, 2, "not all events were read");
    }
}
