//! From requests to the functions of the library.

use super::incoming::Incoming;
use super::{Answer, App, Role};
use crate::workspace::analyze::Caller;
use crate::workspace::catalog;
use crate::workspace::document::{Document, Kind, MAX_BYTES};
use crate::workspace::export::{self, Options as ExportOptions};
use crate::workspace::life;
use crate::workspace::listing::{self, Adoption};
use crate::workspace::plans::{self, ApplyOptions};
use crate::workspace::problem::Problem;
use crate::workspace::reconcile::OnConflict;
use crate::workspace::removal::Options;
use crate::workspace::secret::Secret;
use crate::workspace::service::{self, Request};
use crate::workspace::signature::Signature;
use crate::workspace::values::SuppliedValues;
use axum::http::header;

/// Where a document without address came from.
const PASTED: &str = "pasted";

fn caller(incoming: &Incoming, origin: &str, listed: Option<Signature>) -> Result<Caller, Problem> {
    let own = incoming.signature()?;
    if own.is_some() && listed.is_some() {
        return Err(Incoming::wrong("an item of a catalog brings its signature; leave `signature` out"));
    }
    Ok(Caller {
        admin: incoming.identity.role == Role::Admin,
        origin: origin.to_owned(),
        accept_origin: incoming.flag("accept_origin")?,
        only: incoming.texts("only")?,
        signature: listed.or(own),
    })
}

pub(super) fn analyze(app: &App, incoming: &Incoming) -> Result<Answer, Problem> {
    let filled = |text: Option<&str>| text.filter(|text| !text.trim().is_empty()).map(str::to_owned);
    let source = filled(incoming.text("source")?);
    let url = filled(incoming.text("source_url")?);
    let catalog = filled(incoming.text("catalog")?);
    let (bytes, origin, listed) = match (source, url, catalog) {
        (Some(text), None, None) => (text.into_bytes(), PASTED.to_owned(), None),
        (None, None, Some(name)) => from_catalog(app, &name)?,
        (None, Some(url), None) => {
            let who = &incoming.identity.token;
            (app.client.get_for(who, app.store.now(), &url, MAX_BYTES)?, url, None)
        }
        _ => return Err(Incoming::wrong("give exactly one of `source`, `source_url` and `catalog`")),
    };
    let document = Document::parse(&bytes).map_err(Problem::invalid)?;
    let caller = caller(incoming, &origin, listed)?;
    service::preview(&app.store, incoming.workspace(), &document, &caller)
        .map(|preview| Answer::json(&preview))
}

/// An item of a catalog, and the origin of what is installed from it.
fn from_catalog(app: &App, name: &str) -> Result<(Vec<u8>, String, Option<Signature>), Problem> {
    let item = catalog::find(&app.store, name)?;
    let origin = catalog::origin(&item);
    Ok((item.spec.into_bytes(), origin, item.signature))
}

/// What requests with a document have in common.
struct Parts {
    document: Document,
    supplied: SuppliedValues,
    caller: Caller,
    allow_enabled: bool,
}

impl Parts {
    fn of(app: &App, incoming: &Incoming) -> Result<Self, Problem> {
        let origin = incoming.text("origin")?;
        let (document, origin, listed) = match (incoming.text("catalog")?, incoming.member("bundle"), origin)
        {
            (Some(name), None, None) => {
                let (bytes, origin, listed) = from_catalog(app, name)?;
                (Document::parse(&bytes).map_err(Problem::invalid)?, origin, listed)
            }
            (None, _, origin) => (incoming.document()?, origin.unwrap_or(PASTED).to_owned(), None),
            _ => {
                let wrong = "`catalog` takes the place of `bundle` and `origin`; leave those out";
                return Err(Incoming::wrong(wrong));
            }
        };
        Ok(Self {
            document,
            supplied: incoming.values()?,
            caller: caller(incoming, &origin, listed)?,
            allow_enabled: incoming.flag("allow_enabled")?,
        })
    }

    fn request<'a>(&'a self, incoming: &'a Incoming, keep_secrets: bool) -> Request<'a> {
        Request {
            workspace: incoming.workspace(),
            document: &self.document,
            supplied: &self.supplied,
            caller: &self.caller,
            by: &incoming.identity.label,
            allow_enabled: self.allow_enabled,
            keep_secrets,
            request_key: incoming.request_key.as_deref(),
        }
    }
}

pub(super) fn install(app: &App, incoming: &Incoming) -> Result<Answer, Problem> {
    let parts = Parts::of(app, incoming)?;
    let request = parts.request(incoming, incoming.flag("keep_secrets")?);
    let repair = incoming.flag("repair_wiring")?;
    service::install(&app.store, &request, repair, app.skills.as_ref()).map(|result| Answer::json(&result))
}

pub(super) fn plan(app: &App, incoming: &Incoming) -> Result<Answer, Problem> {
    let parts = Parts::of(app, incoming)?;
    plans::plan(&app.store, &parts.request(incoming, true)).map(|plan| Answer::json(&plan))
}

pub(super) fn diff(app: &App, incoming: &Incoming) -> Result<Answer, Problem> {
    let parts = Parts::of(app, incoming)?;
    plans::diff(&app.store, &parts.request(incoming, true)).map(|diff| Answer::json(&diff))
}

pub(super) fn apply(app: &App, incoming: &Incoming) -> Result<Answer, Problem> {
    let parts = Parts::of(app, incoming)?;
    let conflicts = match incoming.text("on_conflict")? {
        None | Some("fail") => OnConflict::Fail,
        Some("keep") => OnConflict::Keep,
        Some("take") => OnConflict::Take,
        Some(_) => return Err(Incoming::wrong("`on_conflict` is `fail`, `keep` or `take`")),
    };
    let options = ApplyOptions {
        conflicts,
        prune: incoming.flag("prune")?,
        state: incoming.text("state")?.map(str::to_owned),
    };
    let request = parts.request(incoming, true);
    plans::apply(&app.store, &request, &options, app.skills.as_ref()).map(|result| Answer::json(&result))
}

pub(super) fn list(app: &App, incoming: &Incoming) -> Result<Answer, Problem> {
    listing::list(&app.store, incoming.workspace()).map(|list| Answer::json(&list))
}

pub(super) fn show(app: &App, incoming: &Incoming) -> Result<Answer, Problem> {
    listing::show(&app.store, incoming.workspace(), incoming.id()).map(|detail| Answer::json(&detail))
}

pub(super) fn uninstall(app: &App, incoming: &Incoming) -> Result<Answer, Problem> {
    let options = Options {
        delete_edited: incoming.is_set("delete_edited"),
        detach: incoming.is_set("detach"),
        for_good: incoming.is_set("for_good"),
    };
    let dry_run = incoming.is_set("dry_run");
    listing::uninstall(&app.store, incoming.workspace(), incoming.id(), &options, dry_run)
        .map(|result| Answer::json(&result))
}

pub(super) fn undo(app: &App, incoming: &Incoming) -> Result<Answer, Problem> {
    life::undo(&app.store, incoming.workspace(), incoming.id()).map(|detail| Answer::json(&detail))
}

pub(super) fn forget(app: &App, incoming: &Incoming) -> Result<Answer, Problem> {
    life::forget(&app.store, incoming.workspace(), incoming.id()).map(|forgotten| Answer::json(&forgotten))
}

pub(super) fn set_secret(app: &App, incoming: &Incoming) -> Result<Answer, Problem> {
    let field = incoming.text("field")?.ok_or_else(|| Incoming::wrong("`field` is missing"))?;
    let value = incoming.text("value")?.ok_or_else(|| Incoming::wrong("`value` is missing"))?;
    let secret = Secret::new(value.to_owned());
    life::set_secret(&app.store, incoming.workspace(), incoming.id(), field, &secret)
        .map(|rotated| Answer::json(&rotated))
}

pub(super) fn list_catalog(app: &App, incoming: &Incoming) -> Result<Answer, Problem> {
    catalog::list(&app.store, incoming.workspace()).map(|catalog| Answer::json(&catalog))
}

pub(super) fn sync_catalog(app: &App, incoming: &Incoming) -> Result<Answer, Problem> {
    let registry = incoming.text("registry")?.ok_or_else(|| Incoming::wrong("`registry` is missing"))?;
    let fetch = |url: &str| -> Result<Vec<u8>, Problem> {
        Ok(app.client.get_for(&incoming.identity.token, app.store.now(), url, catalog::MAX_BYTES)?)
    };
    catalog::sync_again(&app.store, incoming.workspace(), registry, &fetch)
        .map(|synced| Answer::json(&synced))
}

pub(super) fn audit(app: &App, incoming: &Incoming) -> Result<Answer, Problem> {
    life::audit(&app.store, incoming.workspace()).map(|audit| Answer::json(&audit))
}

pub(super) fn retain(app: &App, incoming: &Incoming) -> Result<Answer, Problem> {
    if incoming.member("retain").is_none() {
        return Err(Incoming::wrong("`retain` is missing"));
    }
    let retain = incoming.flag("retain")?;
    life::retain(&app.store, incoming.workspace(), incoming.id(), retain).map(|marked| Answer::json(&marked))
}

pub(super) fn drift(app: &App, incoming: &Incoming) -> Result<Answer, Problem> {
    plans::drift(&app.store, incoming.workspace(), incoming.id()).map(|drift| Answer::json(&drift))
}

pub(super) fn adopt(app: &App, incoming: &Incoming) -> Result<Answer, Problem> {
    let wrong = || Incoming::wrong("`entities` is a list of objects with `kind`, `key` and `id`");
    let list = incoming.member("entities").ok_or_else(wrong)?.to_json();
    let adoptions: Vec<Adoption> = serde_json::from_value(list).map_err(|_| wrong())?;
    if adoptions.iter().any(|adoption| matches!(adoption.kind, Kind::Channel | Kind::Automation)) {
        return Err(Incoming::wrong("channels and automations cannot be adopted"));
    }
    listing::adopt(&app.store, incoming.workspace(), incoming.id(), &adoptions)
        .map(|detail| Answer::json(&detail))
}

pub(super) fn export(app: &App, incoming: &Incoming) -> Result<Answer, Problem> {
    let options = ExportOptions {
        strict: incoming.is_set("strict"),
        allow_suspected: incoming.is_set("allow_suspected"),
        policies: incoming.is_set("policies"),
    };
    let export = export::export(&app.store, incoming.workspace(), &options)?;
    if incoming.is_set("report") {
        return Ok(Answer::json(&export));
    }
    let name = format!("attachment; filename=\"{}.bundle.yaml\"", incoming.workspace());
    let headers = vec![
        (header::CONTENT_TYPE, "text/plain; charset=utf-8".to_owned()),
        (header::CONTENT_DISPOSITION, name),
    ];
    Ok(Answer::text(export.document, headers))
}
