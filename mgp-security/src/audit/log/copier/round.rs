//! Copies the events that are there.

use super::super::{
    database::{AuditDatabase, TrailHead, day_of},
    writer::Writer,
};
use jiff::Timestamp;
use std::{
    sync::Arc,
    time::{Duration, Instant},
};

/// The most times that a round begins anew, because another process copies too or the trail is another one.
const ATTEMPTS: usize = 16;

/// The shortest time between two notes.
const NOTE: Duration = Duration::from_secs(1);

/// The place up to which the database has a trail, as far as this process knows.
#[derive(Debug)]
struct Place {
    mark: String,
    id: String,
    head: TrailHead,
    /// True if the local trail has a note of the head.
    is_noted: bool,
}

/// The copies of one local trail.
#[derive(Debug, Default)]
pub(in super::super) struct Rounds {
    place: Option<Place>,
    /// True if the local trail has no note of what is copied, because the database is not the one that it belongs to.
    is_unnoted: bool,
    /// The time of the last note.
    noted_at: Option<Instant>,
}

impl Rounds {
    /// Copies all events that the local trail has now. With `index`, those of all journals are moved there first.
    ///
    /// # Errors
    /// The reason for which events are not copied.
    pub(in super::super) async fn run(
        &mut self,
        writer: &Arc<Writer>,
        database: &AuditDatabase,
        index: bool,
    ) -> Result<(), String> {
        let result = self.copy(writer, database, index).await;
        if result.is_err() {
            // It is unknown what the database has.
            self.place = None;
        }
        result
    }

    async fn copy(
        &mut self,
        writer: &Arc<Writer>,
        database: &AuditDatabase,
        index: bool,
    ) -> Result<(), String> {
        let (mut target, mut attempts) = (None, 0);
        loop {
            let after = self.place.as_ref().map_or(0, |place| place.head.seq);
            let index = index && target.is_none();
            let local = blocking(writer, move |writer| writer.local_part(after, index)).await?;
            let target = *target.get_or_insert(local.newest);
            let same = |place: &&mut Place| place.mark == local.mark && place.id == local.id;
            let Some(place) = self.place.as_mut().filter(same) else {
                attempts += 1;
                if attempts > ATTEMPTS {
                    return Err("other processes copy the audit trail again and again".to_owned());
                }
                let head = database.enter(&local.id, local.start).await;
                let head = head.map_err(|error| error.reason().to_owned())?;
                self.place = Some(Place { mark: local.mark, id: local.id, head, is_noted: self.is_unnoted });
                continue;
            };
            if !local.follows(&place.head) {
                attempts += 1;
                if attempts > ATTEMPTS {
                    return Err("the audit trail gets another id in the database again and again".to_owned());
                }
                tracing::warn!(
                    trail = place.id,
                    last = place.head.seq,
                    "the database has events of the audit trail that the state folder lacks: the folder's trail is copied under another id"
                );
                let (mark, id) = (local.mark, local.id);
                blocking(writer, move |writer| writer.rename_copy(&mark, &id)).await?;
                self.place = None;
                continue;
            }
            if !local.events.is_empty() {
                let today = day_of(Timestamp::now());
                let appended = database.append(&place.id, place.head, local.events, today).await;
                match appended.map_err(|error| error.reason().to_owned())? {
                    Some(head) => (place.head, place.is_noted) = (head, self.is_unnoted),
                    None => {
                        self.place = None;
                        continue;
                    }
                }
            }
            if place.head.seq >= target {
                return note(writer, place, &mut self.noted_at).await;
            }
        }
    }
}

/// Copies all events that a trail has now.
///
/// # Errors
/// The reason for which events are not copied.
pub(in super::super) async fn copy_once(
    writer: &Arc<Writer>,
    database: &AuditDatabase,
) -> Result<(), String> {
    let mut rounds = Rounds { is_unnoted: true, ..Rounds::default() };
    rounds.run(writer, database, true).await
}

/// Notes in the local trail how far it is copied, so that retention may remove these events there.
async fn note(writer: &Arc<Writer>, place: &mut Place, noted_at: &mut Option<Instant>) -> Result<(), String> {
    let is_due = noted_at.is_none_or(|noted| noted.elapsed() >= NOTE);
    if !place.is_noted && is_due {
        *noted_at = Some(Instant::now());
        let (mark, id, seq) = (place.mark.clone(), place.id.clone(), place.head.seq);
        blocking(writer, move |writer| writer.copied(&mark, &id, seq)).await?;
        place.is_noted = true;
    }
    Ok(())
}

async fn blocking<T: Send + 'static>(
    writer: &Arc<Writer>,
    run: impl FnOnce(&Writer) -> Result<T, String> + Send + 'static,
) -> Result<T, String> {
    let writer = writer.clone();
    let result = tokio::task::spawn_blocking(move || run(&writer)).await;
    result.map_err(|error| error.to_string()).flatten()
}
