//! Gets a result that another kernel has added.

use super::{
    super::{
        content::fresh_placeholder,
        data::KeptData,
        keep_error::without_room,
        name::{is_id, short_name, unknown},
        spool_text::SpoolText,
    },
    SharedResults,
    facts::{SharedFacts, key},
    results::{BATCH, PART, answered, part_answered},
};
use crate::ground::reference_store::RoomShortage;
use mgp_store::{
    StoreError,
    spool::{DerivedKey, Spool, SpoolWriter},
};
use mgp_types::{context::Principal, error::ErrorCode, reference::Checksum, rpc::ErrorObject};
use std::{io, sync::Arc};
use tokio::time::Instant;

/// The reason for which a result cannot be fetched.
#[derive(Debug, thiserror::Error)]
pub(super) enum FetchError {
    #[error("it cannot be seen whether another gateway has reference {id:?}: {problem}")]
    Away { id: String, problem: StoreError },
    #[error(
        "only the gateway that made reference {id:?} has it: its {bytes} bytes are more than the {most} of references.store_bytes; call its tool again with keep_result"
    )]
    Long { id: String, bytes: u64, most: u64 },
    #[error(
        "only the gateway that made reference {id:?} has it, because its data could not be stored; call its tool again with keep_result"
    )]
    Incomplete { id: String },
    #[error("reference {id:?} cannot be fetched from the store: {shortage}")]
    NoRoom { id: String, shortage: RoomShortage },
    #[error("reference {id:?} cannot be fetched from the store now: {problem}")]
    Unread { id: String, problem: StoreError },
    #[error("reference {id:?} cannot be fetched from the store: {problem}")]
    Broken { id: String, problem: io::Error },
}

impl From<FetchError> for ErrorObject {
    fn from(error: FetchError) -> Self {
        let message = error.to_string();
        match error {
            FetchError::Away { .. } | FetchError::Unread { .. } => {
                ErrorCode::ResourceExhausted.error(message)
            }
            FetchError::Long { .. } | FetchError::Incomplete { .. } => {
                ErrorCode::ResourceNotFound.error(message)
            }
            FetchError::NoRoom { shortage, .. } => without_room(message, &shortage),
            FetchError::Broken { .. } => ErrorObject::internal(message),
        }
    }
}

impl SharedResults {
    /// Returns the data of a principal's reference, and keeps a copy of it until it expires.
    ///
    /// # Errors
    /// Those of [`References::find`](super::super::References::find).
    pub(in crate::features::references) async fn fetch(
        &self,
        owner: &Principal,
        id: &str,
    ) -> Result<Arc<KeptData>, ErrorObject> {
        if !is_id(id) {
            return Err(unknown(id));
        }
        let mut one_at_a_time = self.fetching.lock().await;
        // Another request may have fetched it meanwhile.
        if let Some(data) = self.entries.find(owner, id) {
            return Ok(data);
        }
        let name = || short_name(id);
        let away = |problem| FetchError::Away { id: name(), problem };
        let unread = |problem| FetchError::Unread { id: name(), problem };
        let broken = |problem| FetchError::Broken { id: name(), problem };
        let key = Arc::new(key(owner, id).map_err(broken)?);
        let asked = Instant::now();
        let found = answered(self.store.find(*key.name())).await.map_err(away)?;
        let found = found.ok_or_else(|| unknown(id))?;
        let facts = SharedFacts::open(&key, found.facts).map_err(broken)?;
        if found.chunks < facts.chunks() {
            let (bytes, most) = (facts.bytes(), self.most);
            let id = name();
            return Err(if bytes > most && !found.is_object {
                FetchError::Long { id, bytes, most }
            } else {
                FetchError::Incomplete { id }
            }
            .into());
        }
        if found.is_object {
            drop(one_at_a_time);
            one_at_a_time = self.fetching_objects.lock().await;
            if let Some(data) = self.entries.find(owner, id) {
                return Ok(data);
            }
        }
        let until = asked + found.expires_in;
        // The wait for other objects may have been longer than the result is kept.
        if until <= Instant::now() {
            return Err(unknown(id));
        }
        let place = self.entries.reserve_bytes(owner, id.to_owned(), until, facts.bytes());
        let place = place.map_err(|shortage| FetchError::NoRoom { id: name(), shortage })?;
        let mut copy = FetchedCopy::begin(self, key, &facts).map_err(broken)?;
        while !copy.is_complete() {
            let (name, from) = (*copy.key.name(), copy.chunks);
            let chunks = match found.is_object {
                true => part_answered(self.store.object_chunks(name, from, PART)).await,
                false => answered(self.store.chunks(name, from, BATCH)).await,
            };
            copy = copy.extended(chunks.map_err(unread)?).await.map_err(broken)?;
        }
        let spool = Arc::new(SpoolText::new(copy.finish(&facts).map_err(broken)?));
        let form = facts.form();
        let (reference, placeholder) = (facts.reference, fresh_placeholder());
        let data = Arc::new(KeptData { reference, form, spool, placeholder, outline: None });
        place.fill(data.clone());
        drop(one_at_a_time);
        Ok(data)
    }
}

/// A copy of a result's data that is being made.
struct FetchedCopy {
    key: Arc<DerivedKey>,
    writer: SpoolWriter,
    /// The number of chunks in the copy.
    chunks: u64,
    /// The number of chunks of the data.
    needed: u64,
}

impl FetchedCopy {
    fn begin(shared: &SharedResults, key: Arc<DerivedKey>, facts: &SharedFacts) -> io::Result<Self> {
        let writer = SpoolWriter::create(shared.folder.as_deref())?;
        Ok(Self { key, writer, chunks: 0, needed: facts.chunks() })
    }

    fn is_complete(&self) -> bool {
        self.chunks >= self.needed
    }

    /// Decrypts chunks, and appends them.
    async fn extended(mut self, chunks: Vec<Vec<u8>>) -> io::Result<Self> {
        if chunks.is_empty() {
            return Err(io::Error::other("a part of its data is missing"));
        }
        let extend = move || {
            for sealed in chunks {
                let chunk = self.key.open(self.chunks, sealed)?;
                self.writer.write(&chunk)?;
                self.chunks += 1;
            }
            Ok(self)
        };
        tokio::task::spawn_blocking(extend).await.map_err(io::Error::other)?
    }

    /// Ends the copy, if it is the data that the facts are about.
    fn finish(self, facts: &SharedFacts) -> io::Result<Spool> {
        let spool = self.writer.finish()?;
        let is_same = facts.reference.checksum == Some(Checksum::sha256(spool.sha256()));
        if is_same && spool.length() == facts.bytes() {
            Ok(spool)
        } else {
            Err(io::Error::new(io::ErrorKind::InvalidData, "the data was changed"))
        }
    }
}
