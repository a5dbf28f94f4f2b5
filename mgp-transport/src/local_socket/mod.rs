//! Unix sockets: connections between processes of one machine, in which each side can identify the other's account.
//!
//! ```
//! use mgp_transport::local_socket::{LocalListener, LocalStream, own_account};
//! use tokio::io::{AsyncReadExt, AsyncWriteExt};
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> std::io::Result<()> {
//! # let folder = std::env::temp_dir().join(format!("mgp-local-{}", std::process::id()));
//! # std::fs::create_dir_all(&folder)?;
//! let path = folder.join("kernel.sock");
//! let listener = LocalListener::bind(&path)?;
//! let mut here = LocalStream::connect(&path).await?;
//! let mut there = listener.accept().await?;
//! assert_eq!(there.account()?, own_account()?);
//! here.write_all(b"hello").await?;
//! let mut heard = [0; 5];
//! there.read_exact(&mut heard).await?;
//! assert_eq!(&heard, b"hello");
//! # std::fs::remove_dir_all(&folder)?;
//! # Ok(()) }
//! ```

mod descriptors;
mod length;
mod listener;
mod stream;
mod streams;

pub use descriptors::MAX_FILES;
pub use length::MAX_PATH;
pub use listener::LocalListener;
pub use stream::{LocalStream, own_account};
pub use streams::{is_stream, reader, writer};
