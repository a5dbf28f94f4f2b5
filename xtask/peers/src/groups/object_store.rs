//! A store that speaks S3, in which two gateways on one database share a long kept result.

use super::{
    ask::connect,
    request::{call, request},
};
use crate::{
    install::{NpmHome, Package},
    peers::{Instance, Kernel, Scene, Service, Transport, Upstream, server},
    rows::{Context, Folder, Row, row},
    tap::Command,
};
use mgp_client_sdk::client::Client;
use serde_json::{Value, json};
use std::{fs, path::PathBuf};
use xtask_install::ProgramFeatures;
use xtask_testing::{has_postgres, postgres};

/// The bucket, and the folder in it.
const BUCKET: &str = "kept";
const FOLDER: &str = "mgp";

/// The key of the store, and its secret.
const KEY: &str = "S3RVER";

/// The lines of the long file: three parts of an object.
const LINES: usize = 1_600_000;
const LINE: &str = "zwölf lines\n";

/// The ending of the files in which the store keeps its objects.
const OBJECT: &str = "_S3rver_object";

/// The bytes of one read.
const READ: usize = 1024;

/// Returns the rows. The gateways need features that a program with its default ones does not have.
pub(super) fn rows(features: ProgramFeatures) -> Vec<Row> {
    let obstacle = || {
        (!has_postgres())
            .then(|| "PostgreSQL does not run: `cargo xtask postgres cargo xtask peers` starts it".to_owned())
    };
    let needs = [Package::S3rver, Package::Filesystem];
    let row = row("objects/s3rver", &needs, run).unless(obstacle);
    if features == ProgramFeatures::All { vec![row] } else { Vec::new() }
}

async fn run(context: Context) -> Result<(), String> {
    let scene = Scene::prepare(&context.folder).await?;
    let long = context.folder.write("files/long.txt", &LINE.repeat(LINES))?;
    let store = start(&context.folder).await?;
    let files = server("filesystem")?;
    let upstream = Upstream::of(files, &context, &scene).await?;
    let database = postgres().await.ok_or("PostgreSQL does not run")?;
    let tables =
        format!("[store]\nurl = {database:?}\n\n[references]\nobject_store = \"s3://{BUCKET}/{FOLDER}\"\n");
    let kernel = Kernel::configure(&context, "full", &[], vec![upstream])?.with(&context, &tables)?;
    let kernel = [
        ("AWS_ACCESS_KEY_ID", KEY.to_owned()),
        ("AWS_SECRET_ACCESS_KEY", KEY.to_owned()),
        ("AWS_ENDPOINT_URL", format!("http://127.0.0.1:{}", store.port())),
        ("AWS_ALLOW_HTTP", "true".to_owned()),
    ]
    .into_iter()
    .fold(kernel, |kernel, (name, value)| kernel.env(name, &value));

    let (here, first) = gateway(&context, &kernel, "here").await?;
    let keep = json!({ "dev.cloto/call": { "keep_result": true } });
    let kept = call(&here, "read_text_file", &json!({ "path": long }), &keep).await?;
    let reference = &kept["_meta"]["dev.cloto/reference"];
    let (Some(id), Some(bytes)) = (reference["ref_id"].as_str(), reference["size_bytes"].as_u64()) else {
        return Err(format!("the result was not kept: {kept}"));
    };
    if bytes < (LINES * LINE.len()) as u64 {
        return Err(format!("the result has {bytes} bytes, expected those of the file"));
    }
    let objects = objects(&context.folder)?;
    let [object] = objects.as_slice() else {
        return Err(format!("the bucket has {objects:?}, expected one object"));
    };
    let stored = fs::read(object).map_err(|error| error.to_string())?;
    if (stored.len() as u64) < bytes || stored.windows(LINE.len()).any(|part| part == LINE.as_bytes()) {
        return Err(format!("the object has {} bytes, expected {bytes} encrypted ones", stored.len()));
    }

    let (there, second) = gateway(&context, &kernel, "there").await?;
    let mut forged = stored.clone();
    forged[stored.len() / 2] ^= 1;
    for content in [&forged, &stored[..stored.len() / 2].to_vec()] {
        write(object, content)?;
        let read = read(&there, id, 0).await.map_or_else(|error| error, |part| part.to_string());
        if !["the data was changed", "a part of its data is missing"].iter().any(|text| read.contains(text)) {
            return Err(format!("a forged or shortened object gives {read}"));
        }
    }
    write(object, &stored)?;
    for offset in [0, bytes / 3, bytes / 2, bytes - READ as u64] {
        let (ours, theirs) = tokio::try_join!(read(&here, id, offset), read(&there, id, offset))?;
        if ours != theirs {
            return Err(format!("the gateways read different data at {offset}: {ours} and {theirs}"));
        }
    }
    drop((here, there));
    for instance in [first, second] {
        instance.stop().await?;
    }
    store.stop().await?;
    kernel.stop_upstreams().await
}

/// Starts the store, with an empty bucket.
async fn start(folder: &Folder) -> Result<Service, String> {
    let program = NpmHome::Node20.file(Package::S3rver, "bin/s3rver.js");
    let data = folder.file("bucket");
    let start = |port: u16| {
        let port = port.to_string();
        let options = ["--address", "127.0.0.1", "--port", &port, "--no-vhost-buckets", "--silent"];
        Command::new("node")
            .args([program.to_string_lossy().into_owned(), "--directory".to_owned()])
            .args([data.to_string_lossy().into_owned()])
            .args(options.map(str::to_owned))
            .args(["--configure-bucket", BUCKET].map(str::to_owned))
    };
    Service::start(start, Transport::Http, folder, "s3rver").await
}

/// Starts a gateway with its own state folder, and connects to it.
async fn gateway(context: &Context, kernel: &Kernel, name: &str) -> Result<(Client, Instance), String> {
    let service = kernel.http_with_state(context, name, name).await?;
    let instance = Instance::Running(service);
    Ok((connect(context, &instance, None).await?, instance))
}

/// Reads a part of a result.
async fn read(gateway: &Client, id: &str, offset: u64) -> Result<Value, String> {
    let uri = format!("mgp://references/{id}?offset={offset}&length={READ}");
    let read = request(gateway, "resources/read", &json!({ "uri": uri })).await?;
    Ok(read["contents"][0]["text"].clone())
}

/// Returns the files with the objects of the bucket's folder. Those of the gateways' checks are gone.
fn objects(folder: &Folder) -> Result<Vec<PathBuf>, String> {
    let path = folder.file("bucket").join(BUCKET).join(FOLDER);
    let entries =
        fs::read_dir(&path).map_err(|error| format!("failed to read {}: {error}", path.display()))?;
    let files = entries.flatten().map(|entry| entry.path());
    Ok(files.filter(|file| file.to_string_lossy().ends_with(OBJECT)).collect())
}

fn write(path: &PathBuf, content: &[u8]) -> Result<(), String> {
    fs::write(path, content).map_err(|error| format!("failed to write {}: {error}", path.display()))
}
