//! The kept results.

use super::{
    ReferenceSettings,
    content::{Content, fresh_placeholder},
    data::KeptData,
    entries::Entries,
    keep_error::KeepError,
    name::{fresh_id, unknown},
    shared::SharedResults,
    spool_text::SpoolStore,
};
use crate::ground::reference_store::ReferenceStore;
use jiff::Timestamp;
use mgp_security::access::AccessControl;
use mgp_toolindex::tokens::TokenCounter;
use mgp_types::{
    context::Principal,
    reference::{Checksum, DataReference},
    rpc::ErrorObject,
};
use std::{fmt, io, sync::Arc};
use tokio::time::Instant;

/// The kept results of principals, each in an encrypted file whose key is only in memory.
pub(crate) struct References {
    pub(super) settings: ReferenceSettings,
    pub(super) counter: Arc<dyn TokenCounter>,
    /// The access control, whose policy may read the arguments of any call.
    access: AccessControl,
    entries: Arc<Entries>,
    /// The results that other kernels find, too, if there is a store for them.
    shared: Option<Arc<SharedResults>>,
    /// The long strings of results in transit.
    pub(super) long_texts: Arc<SpoolStore>,
}

impl References {
    /// Makes an empty store of results. Results are also kept in `store`, where other kernels find them.
    ///
    /// # Panics
    /// With a store, outside a tokio runtime.
    pub(crate) fn new(
        settings: ReferenceSettings,
        counter: Arc<dyn TokenCounter>,
        access: AccessControl,
        store: Option<Arc<dyn ReferenceStore>>,
    ) -> Arc<Self> {
        let long_texts = Arc::new(SpoolStore::new(&settings));
        let entries = Arc::new(Entries::new(settings.room()));
        let shared = store.map(|store| SharedResults::new(store, &settings, entries.clone()));
        Arc::new(Self { settings, counter, access, entries, shared, long_texts })
    }

    /// Warns if long results cannot be shared, although the store has objects for them. Nobody waits for this.
    ///
    /// # Panics
    /// With a store, outside a tokio runtime.
    pub(crate) fn check_objects(&self) {
        if let Some(shared) = self.shared.clone() {
            tokio::spawn(async move { shared.check_objects().await });
        }
    }

    /// Returns whether the gateway's policy or gates of the program may read the arguments of any call.
    pub(super) fn reads_arguments(&self) -> bool {
        self.settings.has_own_gates || self.settings.checks_arguments || self.access.has_policy()
    }

    /// Checks that there is room for one more result of a principal, before the call is made.
    ///
    /// # Errors
    /// [`KeepError::NoRoom`].
    pub(super) async fn check_room(&self, owner: &Principal) -> Result<(), KeepError> {
        self.entries.check_room(owner)?;
        match &self.shared {
            Some(shared) => Ok(shared.check_room(owner).await?),
            None => Ok(()),
        }
    }

    /// Keeps data for a principal.
    ///
    /// # Errors
    /// [`KeepError::NoRoom`], [`KeepError::Write`].
    pub(super) async fn keep(
        &self,
        owner: &Principal,
        origin: &str,
        mut content: Content,
    ) -> Result<DataReference, KeepError> {
        let (form, mime_type) = (content.form, content.mime_type.clone());
        let ttl = self.settings.ttl();
        let (until, expires_at) = (Instant::now() + ttl, Timestamp::now() + ttl);
        let place = self.entries.reserve(owner, fresh_id(), until, &mut content)?;
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
            Ok::<_, KeepError>((place, stored, reserved))
        });
        let (place, stored, reserved) = written.await.map_err(io::Error::other)??;
        let (spool, outline) = (stored.whole, stored.outline);
        let reference = DataReference {
            ref_id: place.id.clone(),
            origin_server: origin.to_owned(),
            mime_type,
            size_bytes: Some(spool.length()),
            expires_at: Some(format!("{expires_at:.3}")),
            access_url: None,
            checksum: Some(Checksum::sha256(spool.sha256())),
        };
        let placeholder = fresh_placeholder();
        let data = Arc::new(KeptData { reference: reference.clone(), form, spool, placeholder, outline });
        if let Some(shared) = &self.shared {
            shared.put(owner, data.clone(), reserved).await?;
        }
        place.fill(data);
        Ok(reference)
    }

    /// Returns the data of a principal's reference, from another kernel if this one does not have it.
    ///
    /// # Errors
    /// 4004, the same for references of another principal, expired ones and unknown ones. 4004 with the reason for data that only another
    /// kernel has. 3001 if the store cannot be asked, or the data has no room.
    pub(super) async fn find(&self, owner: &Principal, id: &str) -> Result<Arc<KeptData>, ErrorObject> {
        match (self.entries.find(owner, id), &self.shared) {
            (Some(data), _) => Ok(data),
            (None, Some(shared)) => shared.fetch(owner, id).await,
            (None, None) => Err(unknown(id)),
        }
    }
}

impl fmt::Debug for References {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { entries, shared, .. } = self;
        f.debug_struct("References").field("entries", entries).field("shared", shared).finish_non_exhaustive()
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
        let mut references = References::new(settings, Arc::new(Cl100k), access, None);
        let entries = &mut Arc::get_mut(&mut references).unwrap().entries;
        Arc::get_mut(entries).unwrap().max_files_beside = 4;
        let owner = Principal::agent("agent.test");
        for (length, has_outline) in [(3, true), (2, false), (1, true), (1, false)] {
            let kept = references.keep(&owner, "crm", array(length)).await.unwrap();
            let data = references.find(&owner, &kept.ref_id).await.unwrap();
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
            let data = references.find(&owner, &kept.ref_id).await.unwrap();
            assert_eq!(data.outline.is_some(), has_outline, "the files of what is over do not count");
        }
    }
}
