//! Compresses the files of the page of documentation, so that the program holds them in the form in which browsers get them.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    #[cfg(feature = "http-docs")]
    docs::compress();
}

#[cfg(feature = "http-docs")]
mod docs {
    use axum::body::{Body, to_bytes};
    use flate2::{Compression, write::GzEncoder};
    use std::{
        fs::File,
        future::Future,
        io::Write,
        path::Path,
        pin::pin,
        task::{Context, Poll, Waker},
    };
    use swagger_ui_dist::{ApiDefinition, OpenApiSource};
    use tower_service::Service;

    /// Writes the files that the page needs of the library. Its source maps and its own page are left out.
    pub(super) fn compress() {
        let folder = std::env::var("OUT_DIR").expect("cargo sets OUT_DIR");
        let mut library = swagger_ui_dist::generate_routes(ApiDefinition {
            uri_prefix: "/docs",
            api_definition: OpenApiSource::Uri("openapi.json"),
            title: None,
        });
        for name in ["swagger-ui-bundle.js", "swagger-ui.css"] {
            let uri = format!("/docs/{name}").parse().expect("a path");
            let mut request = axum::extract::Request::new(Body::empty());
            *request.uri_mut() = uri;
            let response = at_once(library.call(request)).expect("routes do not fail");
            assert!(response.status().is_success(), "the library has no file {name}");
            let bytes = at_once(to_bytes(response.into_body(), usize::MAX)).expect("a file in memory");
            let file =
                File::create(Path::new(&folder).join(format!("{name}.gz"))).expect("OUT_DIR is writable");
            let mut file = GzEncoder::new(file, Compression::best());
            file.write_all(&bytes).and_then(|()| file.finish()).expect("OUT_DIR is writable");
        }
    }

    /// Returns the result of a future that waits for nothing.
    fn at_once<F: Future>(future: F) -> F::Output {
        match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(result) => result,
            Poll::Pending => panic!("the library's files are in memory"),
        }
    }
}
