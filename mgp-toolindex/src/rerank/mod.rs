//! Rates the first results of a search again, each together with the query.

#[cfg(feature = "fastembed")]
mod onnx;
mod order;
mod reranker;

#[cfg(feature = "fastembed")]
pub use onnx::FastReranker;
pub use order::RERANKED;
pub(crate) use order::reorder;
pub use reranker::Reranker;
