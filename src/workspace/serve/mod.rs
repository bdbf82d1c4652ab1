//! HTTP: the same functions as the command line, behind tokens.

mod handlers;
mod incoming;
mod openapi;
mod operations;
mod tokens;

pub use openapi::document as openapi;
pub use tokens::{Identity, Role, create_token};

use super::fetch::{Client, SkillFetcher};
use super::problem::{Problem, ProblemCode};
use super::store::{Store, is_slug};
use axum::Router;
use axum::body::Body;
use axum::extract::{Path, Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, header};
use axum::response::Response;
use axum::routing::{MethodFilter, get, on};
use incoming::Incoming;
use operations::{OPERATIONS, Operation};
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;
use tokio::signal::unix::{SignalKind, signal};

/// The longest body, in bytes.
pub const MAX_BODY: usize = 6 * 1024 * 1024;

/// What the server works with.
#[derive(Clone)]
pub struct App {
    /// The workspaces.
    pub store: Store,
    /// Fetches documents.
    pub client: Client,
    /// Fetches skills.
    pub skills: Arc<dyn SkillFetcher>,
}

/// A successful answer.
pub(super) struct Answer {
    body: Vec<u8>,
    headers: Vec<(header::HeaderName, String)>,
}

impl Answer {
    /// A JSON document.
    pub(super) fn json(value: &impl serde::Serialize) -> Self {
        let kind = (header::CONTENT_TYPE, "application/json".to_owned());
        Self { body: serde_json::to_vec(value).unwrap_or_default(), headers: vec![kind] }
    }

    /// Text of another kind.
    pub(super) fn text(body: String, headers: Vec<(header::HeaderName, String)>) -> Self {
        Self { body: body.into_bytes(), headers }
    }
}

/// The routes.
pub fn router(app: App) -> Router {
    let mut router = Router::new()
        .route("/v1/openapi.json", get(|| async { respond(Ok(Answer::json(&openapi::document()))) }))
        .fallback(|| async { respond(Err(Problem::new(ProblemCode::NotFound, "there is no such route"))) });
    for operation in &OPERATIONS {
        let handler = move |State(app): State<App>,
                            Path(path): Path<BTreeMap<String, String>>,
                            request: Request| { run(app, operation, path, request) };
        let filter = MethodFilter::try_from(method(operation.method)).unwrap_or(MethodFilter::GET);
        router = router.route(&format!("{}{}", operations::BASE, operation.path), on(filter, handler));
    }
    router
        .method_not_allowed_fallback(|| async {
            respond(Err(Problem::new(ProblemCode::MethodNotAllowed, "the route has no such method")))
        })
        .with_state(app)
}

fn method(word: &str) -> Method {
    Method::from_bytes(word.to_ascii_uppercase().as_bytes()).unwrap_or(Method::GET)
}

async fn run(
    app: App,
    operation: &'static Operation,
    path: BTreeMap<String, String>,
    request: Request,
) -> Response {
    let (head, body) = request.into_parts();
    let workspace = path.get("workspace").cloned().unwrap_or_default();
    let identity = {
        let app = app.clone();
        let headers = head.headers.clone();
        let workspace = workspace.clone();
        let work = move || identify(&app, operation, &headers, &workspace);
        match tokio::task::spawn_blocking(work).await {
            Ok(Ok(identity)) => identity,
            Ok(Err(problem)) => return respond(Err(problem)),
            Err(_) => return respond(Err(broken())),
        }
    };
    let body = match read_body(&head.headers, body).await {
        Ok(body) => body,
        Err(problem) => return respond(Err(problem)),
    };
    let work = move || {
        let app = App { store: app.store.acting(&identity.label), ..app };
        let incoming = Incoming::new(operation, path, &head.uri, &head.headers, &body, identity)?;
        (operation.handle)(&app, &incoming)
    };
    // A client that goes away does not stop the work: it ends whole, or not at all.
    respond(tokio::task::spawn_blocking(work).await.unwrap_or_else(|_| Err(broken())))
}

fn broken() -> Problem {
    Problem::new(ProblemCode::Internal, "the request could not be carried out")
}

fn identify(
    app: &App,
    operation: &Operation,
    headers: &HeaderMap,
    workspace: &str,
) -> Result<Identity, Problem> {
    let identity = tokens::identify(&app.store, headers)?;
    if !is_slug(workspace) || identity.workspace != workspace {
        return Err(Problem::new(ProblemCode::NotFound, "there is no such workspace"));
    }
    if operation.role == Role::Admin && identity.role != Role::Admin {
        return Err(Problem::new(ProblemCode::PermissionDenied, "this needs an administrator"));
    }
    Ok(identity)
}

async fn read_body(headers: &HeaderMap, body: Body) -> Result<Vec<u8>, Problem> {
    let too_large =
        || Problem::new(ProblemCode::PayloadTooLarge, format!("a body has at most {MAX_BODY} bytes"));
    let declared =
        headers.get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse::<usize>().ok());
    if declared.is_some_and(|length| length > MAX_BODY) {
        return Err(too_large());
    }
    axum::body::to_bytes(body, MAX_BODY).await.map(|bytes| bytes.to_vec()).map_err(|_| too_large())
}

fn respond(result: Result<Answer, Problem>) -> Response {
    let (status, answer) = match result {
        Ok(answer) => (200, answer),
        Err(problem) => {
            let kind = (header::CONTENT_TYPE, "application/problem+json".to_owned());
            let body = serde_json::to_vec(&problem.body()).unwrap_or_default();
            let mut headers = vec![kind];
            if problem.code == ProblemCode::Unauthenticated {
                headers.push((header::WWW_AUTHENTICATE, "Bearer".to_owned()));
            }
            (problem.code.status(), Answer { body, headers })
        }
    };
    let mut response = Response::new(Body::from(answer.body));
    *response.status_mut() = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let fixed = [
        (header::CACHE_CONTROL, "no-store".to_owned()),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff".to_owned()),
    ];
    for (name, value) in answer.headers.into_iter().chain(fixed) {
        if let Ok(value) = HeaderValue::from_str(&value) {
            response.headers_mut().insert(name, value);
        }
    }
    response
}

/// The query of an address by name.
pub(super) fn query(uri: &Uri) -> BTreeMap<String, String> {
    let text = uri.query().unwrap_or_default();
    url::form_urlencoded::parse(text.as_bytes()).into_owned().collect()
}

/// Serves until the process is asked to end; requests under way are answered first.
pub fn serve(app: App, address: SocketAddr, ready: &dyn Fn(SocketAddr)) -> std::io::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let listener = tokio::net::TcpListener::bind(address).await?;
        // Listened for before the address is told: whoever reads it may ask for the end at once.
        let mut interrupt = signal(SignalKind::interrupt())?;
        let mut terminate = signal(SignalKind::terminate())?;
        ready(listener.local_addr()?);
        let asked_to_end = async move {
            tokio::select! {
                _ = interrupt.recv() => {}
                _ = terminate.recv() => {}
            }
        };
        axum::serve(listener, router(app)).with_graceful_shutdown(asked_to_end).await
    })
}
