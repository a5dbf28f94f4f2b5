//! The kept results, within limits.

use super::{
    ReferenceSettings,
    content::{Content, ContentForm, KeptOutline, fresh_placeholder},
    keep_error::KeepError,
    spool_text::SpoolStore,
};
use jiff::Timestamp;
use mgp_security::access::AccessControl;
use mgp_toolindex::tokens::TokenCounter;
use mgp_transport::long_text::LongText;
use mgp_types::{
    context::Principal,
    reference::{Checksum, DataReference},
};
use parking_lot::Mutex;
use std::{fmt, io, sync::Arc};
use tokio::{task::JoinSet, time::Instant};

/// The maximum number of files for separately kept long strings of JSON, over all results. A process may open a thousand files, and most
/// of them are for connections.
const MAX_FILES_BESIDE: usize = 128;

/// The kept results of principals, each in an encrypted file whose key is only in memory.
pub(crate) struct References {
    pub(super) settings: ReferenceSettings,
    pub(super) counter: Arc<dyn TokenCounter>,
    /// The access control, whose policy may read the arguments of any call.
    access: AccessControl,
    entries: Mutex<Vec<Entry>>,
    /// The tasks that wait for the expiry of entries. They end with this value.
    timers: Mutex<JoinSet<()>>,
    /// The long strings of results in transit.
    pub(super) long_texts: Arc<SpoolStore>,
    /// The maximum number of additional files: [`MAX_FILES_BESIDE`] outside of tests.
    max_files_beside: usize,
}

/// Reserved room for data, from the moment at which its length is known.
struct Entry {
    id: String,
    owner: Principal,
    bytes: u64,
    /// The number of files in addition to that of the whole data.
    files_beside: usize,
    until: Instant,
    /// `None` while the data is written.
    data: Option<Arc<KeptData>>,
}

/// Kept data.
#[derive(Debug)]
pub(crate) struct KeptData {
    pub(super) reference: DataReference,
    pub(super) form: ContentForm,
    /// The whole data.
    pub(super) spool: Arc<dyn LongText>,
    /// The placeholder of the whole data in arguments.
    pub(super) placeholder: Arc<str>,
    /// The data without its long strings, if it is JSON with long strings, and there was room for their files.
    pub(super) outline: Option<KeptOutline>,
}

impl References {
    pub(crate) fn new(
        settings: ReferenceSettings,
        counter: Arc<dyn TokenCounter>,
        access: AccessControl,
    ) -> Arc<Self> {
        let long_texts = Arc::new(SpoolStore::new(&settings));
        let (entries, timers) = Default::default();
        let max_files_beside = MAX_FILES_BESIDE;
        Arc::new(Self { settings, counter, access, entries, timers, long_texts, max_files_beside })
    }

    /// Returns whether the gateway's policy or gates of the program may read the arguments of any call.
    pub(super) fn reads_arguments(&self) -> bool {
        self.settings.has_own_gates || self.settings.checks_arguments || self.access.has_policy()
    }

    /// Checks that there is room for one more result of a principal, before the call is made.
    ///
    /// # Errors
    /// [`KeepError::NoRoom`].
    pub(super) fn check_room(&self, owner: &Principal) -> Result<(), KeepError> {
        self.has_room(&self.current(), owner, 1)
    }

    /// Keeps data for a principal.
    ///
    /// # Errors
    /// [`KeepError::NoRoom`], [`KeepError::Write`].
    pub(super) async fn keep(
        self: &Arc<Self>,
        owner: &Principal,
        origin: &str,
        mut content: Content,
    ) -> Result<DataReference, KeepError> {
        let (form, mime_type) = (content.form, content.mime_type.clone());
        let place = self.reserve(owner, &mut content)?;
        let bytes = content.room();
        let folder = self.settings.folder.clone();
        let written = tokio::task::spawn_blocking(move || {
            // JSON escapes make the data longer.
            let mut reserved = bytes;
            let mut grow = |needed: u64| {
                if needed > reserved {
                    place.grow(needed)?;
                    reserved = needed;
                }
                Ok(())
            };
            let stored = content.keep(folder.as_deref(), &mut grow)?;
            Ok::<_, KeepError>((place, stored))
        });
        let (place, stored) = written.await.map_err(io::Error::other)??;
        let (spool, outline) = (stored.whole, stored.outline);
        let reference = DataReference {
            ref_id: place.id.clone(),
            origin_server: origin.to_owned(),
            mime_type,
            size_bytes: Some(spool.length()),
            expires_at: Some(place.expires_at.clone()),
            access_url: None,
            checksum: Some(Checksum::sha256(spool.sha256())),
        };
        let placeholder = fresh_placeholder();
        place.fill(KeptData { reference: reference.clone(), form, spool, placeholder, outline });
        Ok(reference)
    }

    /// Returns the data of a principal's reference. References of another principal, expired ones and unknown ones give the same
    /// result.
    pub(super) fn find(&self, owner: &Principal, id: &str) -> Option<Arc<KeptData>> {
        let entries = self.current();
        entries.iter().find(|entry| entry.id == id && is_same(&entry.owner, owner))?.data.clone()
    }

    /// Returns the entries that have not expired.
    fn current(&self) -> parking_lot::MutexGuard<'_, Vec<Entry>> {
        let now = Instant::now();
        let mut entries = self.entries.lock();
        entries.retain(|entry| entry.until > now);
        entries
    }

    fn has_room(&self, entries: &[Entry], owner: &Principal, bytes: u64) -> Result<(), KeepError> {
        let bounds = &self.settings.bounds;
        let own = || entries.iter().filter(|entry| entry.owner.is_same_caller(owner));
        let sum = |bytes: u64, entry: &Entry| bytes.saturating_add(entry.bytes);
        let checks = [
            (
                ("references.max_results", "references.max_bytes"),
                (own().count(), own().fold(bytes, sum)),
                (bounds.max_results, bounds.max_bytes),
                "this agent",
            ),
            (
                ("references.max_total_results", "references.max_total_bytes"),
                (entries.len(), entries.iter().fold(bytes, sum)),
                (bounds.max_total_results, bounds.max_total_bytes),
                "all agents",
            ),
        ];
        for (keys, (count, needed), (most, most_bytes), whom) in checks {
            let (kept, key) = if count >= most {
                (format!("{count} results"), keys.0)
            } else if needed > most_bytes {
                (format!("{} of {most_bytes} bytes", needed - bytes), keys.1)
            } else {
                continue;
            };
            let first = own().map(|entry| entry.until).min();
            let free_in = first.map(|until| until.saturating_duration_since(Instant::now()));
            return Err(KeepError::NoRoom { kept, whom, key, free_in });
        }
        Ok(())
    }

    /// Reserves room for data. Without room for additional files, only the whole data is kept.
    fn reserve(self: &Arc<Self>, owner: &Principal, content: &mut Content) -> Result<Place, KeepError> {
        let id = format!("ref-{}", uuid::Uuid::new_v4().simple());
        let ttl = self.settings.ttl();
        let (until, expires_at) = (Instant::now() + ttl, Timestamp::now() + ttl);
        let mut entries = self.current();
        let files: usize = entries.iter().map(|entry| entry.files_beside).sum();
        if files + content.files_beside() > self.max_files_beside {
            content.keep_only_whole();
        }
        let (bytes, files_beside) = (content.room(), content.files_beside());
        self.has_room(&entries, owner, bytes)?;
        // Delegation restricts kept data like it restricts calls.
        let owner = owner.clone();
        entries.push(Entry { id: id.clone(), owner, bytes, files_beside, until, data: None });
        Ok(Place { references: self.clone(), id, until, expires_at: format!("{expires_at:.3}") })
    }
}

/// Returns whether two principals are the same caller for the same agents.
fn is_same(one: &Principal, other: &Principal) -> bool {
    one.is_same_caller(other) && one.delegation().eq(other.delegation())
}

/// Reserved room, which is released unless data is stored in it.
struct Place {
    references: Arc<References>,
    id: String,
    until: Instant,
    expires_at: String,
}

impl Place {
    /// Extends the reserved room.
    ///
    /// # Errors
    /// [`KeepError::NoRoom`].
    fn grow(&self, bytes: u64) -> Result<(), KeepError> {
        let mut entries = self.references.entries.lock();
        // An expired entry no longer holds anything.
        let Some(at) = entries.iter().position(|entry| entry.id == self.id) else { return Ok(()) };
        let mut entry = entries.swap_remove(at);
        let checked = self.references.has_room(&entries, &entry.owner, bytes);
        if checked.is_ok() {
            entry.bytes = bytes;
        }
        entries.push(entry);
        checked
    }

    /// Stores data in the reserved room, until it expires.
    fn fill(self, data: KeptData) {
        let mut entries = self.references.entries.lock();
        if let Some(entry) = entries.iter_mut().find(|entry| entry.id == self.id) {
            entry.data = Some(Arc::new(data));
        }
        drop(entries);
        let (references, until) = (Arc::downgrade(&self.references), self.until);
        let mut timers = self.references.timers.lock();
        while timers.try_join_next().is_some() {}
        timers.spawn(async move {
            tokio::time::sleep_until(until).await;
            // Frees the disk at the expiry, even without another request.
            references.upgrade().into_iter().for_each(|references| drop(references.current()));
        });
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.references.entries.lock().retain(|entry| entry.id != self.id || entry.data.is_some());
    }
}

impl fmt::Debug for References {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("References").field("kept", &self.entries.lock().len()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::references::spool_text::SpoolText;
    use mgp_security::access::{SqlAccessStore, SqlStore};
    use mgp_store::spool::SpoolWriter;
    use mgp_toolindex::tokens::Cl100k;
    use mgp_transport::long_text::PlacedText;
    use mgp_types::json::RawJson;
    use std::time::Duration;

    /// Returns an array of long strings.
    fn array(length: usize) -> Content {
        let placed = |at: usize| {
            let mut writer = SpoolWriter::create(None).unwrap();
            writer.write(b"long").unwrap();
            let text = Arc::new(SpoolText::new(writer.finish().unwrap()));
            PlacedText { placeholder: format!("placed-{at}").into(), text }
        };
        let texts: Vec<_> = (0..length).map(placed).collect();
        let names: Vec<_> = texts.iter().map(|placed| placed.placeholder.to_string()).collect();
        Content::json(RawJson::from_value(&names).unwrap(), "application/json").with_texts(&texts)
    }

    #[tokio::test]
    async fn long_strings_have_their_own_files_up_to_a_bound() {
        let access = AccessControl::open(Arc::new(SqlAccessStore::in_memory())).await.unwrap();
        let settings = ReferenceSettings::default();
        let mut references = References::new(settings, Arc::new(Cl100k), access);
        Arc::get_mut(&mut references).unwrap().max_files_beside = 4;
        let owner = Principal::agent("agent.test");
        for (length, has_outline) in [(3, true), (2, false), (1, true), (1, false)] {
            let kept = references.keep(&owner, "crm", array(length)).await.unwrap();
            let data = references.find(&owner, &kept.ref_id).unwrap();
            let files = data.outline.as_ref().map(|outline| outline.texts.len());
            assert_eq!(files, has_outline.then_some(length));
            let whole = format!("[{}]", vec!["\"long\""; length].join(","));
            assert_eq!(data.spool.read(0, 100).unwrap(), whole.as_bytes());
        }
        tokio::time::pause();
        tokio::time::advance(Duration::from_secs(901)).await;
        tokio::time::resume();
        for (length, has_outline) in [(5, false), (4, true)] {
            let kept = references.keep(&owner, "crm", array(length)).await.unwrap();
            let data = references.find(&owner, &kept.ref_id).unwrap();
            assert_eq!(data.outline.is_some(), has_outline, "the files of what is over do not count");
        }
    }
}
