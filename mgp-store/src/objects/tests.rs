//! Folders of objects, in a store whose requests can fail.

use super::ObjectFolder;
use futures_util::{StreamExt, stream::BoxStream};
use object_store::{
    CopyOptions, Error, GetOptions, GetResult, ListResult, MultipartUpload, ObjectMeta, ObjectStore,
    PutMultipartOptions, PutOptions, PutPayload, PutResult, Result, UploadPart, memory::InMemory, path::Path,
};
use std::{
    fmt,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
};

/// The address of the tests' folder.
const ADDRESS: &str = "s3://kept/mgp";

/// A store in memory that refuses requests about some names, and counts the uploads that were aborted.
#[derive(Debug, Default)]
struct RefusingStore {
    store: InMemory,
    refused: Option<&'static str>,
    aborted: Arc<AtomicUsize>,
}

impl RefusingStore {
    fn check(&self, path: &Path) -> Result<()> {
        match self.refused {
            Some(refused) if path.as_ref().contains(refused) => Err(refusal()),
            _ => Ok(()),
        }
    }
}

fn refusal() -> Error {
    Error::Generic { store: "test", source: "no more room".into() }
}

impl fmt::Display for RefusingStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a store that refuses")
    }
}

#[async_trait::async_trait]
impl ObjectStore for RefusingStore {
    async fn put_opts(&self, path: &Path, payload: PutPayload, options: PutOptions) -> Result<PutResult> {
        self.check(path)?;
        self.store.put_opts(path, payload, options).await
    }

    async fn put_multipart_opts(
        &self,
        path: &Path,
        options: PutMultipartOptions,
    ) -> Result<Box<dyn MultipartUpload>> {
        let upload = self.store.put_multipart_opts(path, options).await?;
        let is_refused = self.check(path).is_err();
        Ok(Box::new(RefusingUpload { upload, is_refused, aborted: self.aborted.clone() }))
    }

    async fn get_opts(&self, path: &Path, options: GetOptions) -> Result<GetResult> {
        self.check(path)?;
        self.store.get_opts(path, options).await
    }

    fn delete_stream(&self, paths: BoxStream<'static, Result<Path>>) -> BoxStream<'static, Result<Path>> {
        let refused = self.refused;
        let checked = paths.map(move |path| {
            let path = path?;
            match refused {
                Some(refused) if path.as_ref().contains(refused) => Err(refusal()),
                _ => Ok(path),
            }
        });
        self.store.delete_stream(checked.boxed())
    }

    fn list(&self, prefix: Option<&Path>) -> BoxStream<'static, Result<ObjectMeta>> {
        self.store.list(prefix)
    }

    async fn list_with_delimiter(&self, prefix: Option<&Path>) -> Result<ListResult> {
        self.store.list_with_delimiter(prefix).await
    }

    async fn copy_opts(&self, from: &Path, to: &Path, options: CopyOptions) -> Result<()> {
        self.store.copy_opts(from, to, options).await
    }
}

/// An upload whose parts may be refused.
#[derive(Debug)]
struct RefusingUpload {
    upload: Box<dyn MultipartUpload>,
    is_refused: bool,
    aborted: Arc<AtomicUsize>,
}

#[async_trait::async_trait]
impl MultipartUpload for RefusingUpload {
    fn put_part(&mut self, data: PutPayload) -> UploadPart {
        if self.is_refused { Box::pin(async { Err(refusal()) }) } else { self.upload.put_part(data) }
    }

    async fn complete(&mut self) -> Result<PutResult> {
        self.upload.complete().await
    }

    async fn abort(&mut self) -> Result<()> {
        self.aborted.fetch_add(1, Relaxed);
        self.upload.abort().await
    }
}

fn folder(refused: Option<&'static str>) -> (ObjectFolder, Arc<RefusingStore>) {
    let store = Arc::new(RefusingStore { refused, ..RefusingStore::default() });
    (ObjectFolder::new(store.clone(), ADDRESS).unwrap(), store)
}

async fn write(folder: &ObjectFolder, name: &str) {
    let mut upload = folder.upload(name).await.unwrap();
    upload.part(vec![b"0123".to_vec(), b"4567".to_vec()]).await.unwrap();
    upload.part(vec![b"89".to_vec()]).await.unwrap();
    upload.finish().await.unwrap();
}

#[tokio::test]
async fn any_part_of_an_object_is_read() {
    let (folder, _) = folder(None);
    write(&folder, "a").await;
    for (range, expected) in [(0..10, "0123456789"), (3..5, "34"), (8..100, "89"), (10..20, ""), (11..20, "")]
    {
        assert_eq!(folder.read("a", range).await.unwrap(), expected.as_bytes());
    }
    assert_eq!(folder.read("b", 0..10).await.unwrap(), b"");
}

#[tokio::test]
async fn objects_are_removed_and_one_that_is_gone_is_no_error() {
    let (folder, store) = folder(Some("held"));
    write(&folder, "a").await;
    write(&folder, "b").await;
    let names = ["a", "gone", "b"].map(str::to_owned);
    folder.remove(&names).await.unwrap();
    folder.remove(&names).await.unwrap();
    write(&folder, "c").await;
    let problem = folder.remove(&["held-1".to_owned(), "c".to_owned()]).await.unwrap_err().to_string();
    assert!(problem.contains(ADDRESS) && problem.contains("no more room"), "{problem}");
    assert_eq!(store.list(None).count().await, 0, "the others are removed");
}

#[tokio::test]
async fn an_upload_that_fails_or_is_dropped_is_aborted() {
    let (folder, store) = folder(Some("refused"));
    let mut upload = folder.upload("refused").await.unwrap();
    let problem = upload.part(vec![b"data".to_vec()]).await.unwrap_err().to_string();
    assert!(problem.contains(ADDRESS) && problem.contains("no more room"), "{problem}");
    drop(upload);
    let mut upload = folder.upload("a").await.unwrap();
    upload.part(vec![b"data".to_vec()]).await.unwrap();
    drop(upload);
    while store.aborted.load(Relaxed) < 2 {
        tokio::task::yield_now().await;
    }
    assert_eq!(store.list(None).count().await, 0);
    write(&folder, "b").await;
    tokio::task::yield_now().await;
    assert_eq!(store.aborted.load(Relaxed), 2, "a finished one is not aborted");
}

#[tokio::test]
async fn a_check_leaves_nothing_and_names_a_store_that_fails() {
    let (good, store) = folder(None);
    good.check().await.unwrap();
    assert_eq!(store.list(None).count().await, 0);
    let problem = folder(Some("check")).0.check().await.unwrap_err().to_string();
    assert!(problem.contains(ADDRESS) && problem.contains("no more room"), "{problem}");
}
