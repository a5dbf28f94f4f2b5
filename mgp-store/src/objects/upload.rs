//! An object that is being written, in parts.

use super::ObjectFolder;
use crate::StoreError;
use bytes::Bytes;
use object_store::{MultipartUpload, PutPayload};
use std::fmt;
use tokio::runtime::Handle;

/// An object that is being written, in parts. It can be read after [`finish`](Self::finish). If the value is dropped before, the store is
/// asked to remove its parts.
pub struct ObjectUpload {
    folder: ObjectFolder,
    name: String,
    /// `None` after the end.
    upload: Option<Box<dyn MultipartUpload>>,
}

impl ObjectUpload {
    pub(super) fn new(folder: ObjectFolder, name: &str, upload: Box<dyn MultipartUpload>) -> Self {
        Self { folder, name: name.to_owned(), upload: Some(upload) }
    }

    /// Writes the next part, and waits until the store has it. All parts but the last one have the same length, of at least 5 MiB, because
    /// stores refuse others.
    ///
    /// # Errors
    /// [`StoreError`] if the store does not take the part.
    pub async fn part(&mut self, pieces: Vec<Vec<u8>>) -> Result<(), StoreError> {
        let payload: PutPayload = pieces.into_iter().map(Bytes::from).collect();
        let part = self.upload.as_mut().map(|upload| upload.put_part(payload));
        let part = part.ok_or_else(|| self.folder.failed("the upload has ended"))?;
        part.await.map_err(|error| self.folder.failed(error))
    }

    /// Ends the writing: the object is there, with all its parts.
    ///
    /// # Errors
    /// [`StoreError`] if the store does not have all parts.
    pub async fn finish(mut self) -> Result<(), StoreError> {
        let Some(upload) = &mut self.upload else { return Err(self.folder.failed("the upload has ended")) };
        upload.complete().await.map_err(|error| self.folder.failed(error))?;
        self.upload = None;
        Ok(())
    }
}

impl Drop for ObjectUpload {
    fn drop(&mut self) {
        let (Some(mut upload), Ok(runtime)) = (self.upload.take(), Handle::try_current()) else { return };
        let folder = self.folder.clone();
        runtime.spawn(async move {
            if let Err(error) = upload.abort().await {
                tracing::debug!(%error, %folder, "parts of an object are left, which the bucket's lifecycle rule removes");
            }
        });
    }
}

impl fmt::Debug for ObjectUpload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { folder, name, .. } = self;
        f.debug_struct("ObjectUpload").field("folder", folder).field("name", name).finish_non_exhaustive()
    }
}
