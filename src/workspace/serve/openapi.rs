//! The OpenAPI document, made from the table of operations and from the types.

use super::operations::{BASE, OPERATIONS, Operation, Takes};
use crate::workspace::analyze::Preview;
use crate::workspace::catalog::{Catalog, Synced};
use crate::workspace::document::Bundle;
use crate::workspace::export::Export;
use crate::workspace::issue::Issue;
use crate::workspace::life::{Audit, Forgotten, Marked, Rotated};
use crate::workspace::listing::{Adoption, BundleDetail, BundleList, UninstallResult};
use crate::workspace::plans::{Diff, Drift, Plan};
use crate::workspace::reconcile::OnConflict;
use crate::workspace::service::InstallResult;
use crate::workspace::signature::Signature;
use schemars::JsonSchema;
use schemars::generate::{SchemaGenerator, SchemaSettings};
use serde_json::{Map, Value, json};

/// The document.
pub fn document() -> Value {
    let mut paths = Map::new();
    for operation in &OPERATIONS {
        let path = paths.entry(format!("{BASE}{}", operation.path)).or_insert_with(|| json!({}));
        if let Some(members) = path.as_object_mut() {
            members.insert(operation.method.to_owned(), describe(operation));
        }
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "agent-bundle workspaces",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Setup bundles: analyze, install, apply, uninstall, export.",
        },
        "paths": paths,
        "components": {
            "schemas": schemas(),
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{"token": []}],
    })
}

fn describe(operation: &Operation) -> Value {
    let mut parameters = vec![parameter(
        "workspace",
        "path",
        json!({"type": "string", "pattern": "^[a-z0-9]+(-[a-z0-9]+)*$", "maxLength": 120}),
    )];
    if operation.path.contains("{id}") {
        parameters.push(parameter("id", "path", json!({"type": "string"})));
    }
    for (name, meaning) in operation.query {
        let mut entry = parameter(name, "query", json!({"type": "boolean", "default": false}));
        entry["required"] = json!(false);
        entry["description"] = json!(meaning);
        parameters.push(entry);
    }
    let answer = if operation.answer == "Export" {
        json!({"text/plain": {"schema": {"type": "string"}}, "application/json": {"schema": reference("Export")}})
    } else {
        json!({"application/json": {"schema": reference(operation.answer)}})
    };
    let mut responses = Map::new();
    responses.insert("200".to_owned(), json!({"description": "Done", "content": answer}));
    for (status, meaning) in [
        ("400", "A step failed, or the source was not fetched"),
        ("401", "No token, or an unknown one"),
        ("403", "The token may not do that"),
        ("404", "No such workspace or bundle"),
        ("409", "Another install is running, or the workspace changed"),
        ("413", "The body is too large"),
        ("422", "The document, a value or the request is invalid"),
        ("429", "The token fetches too often"),
        ("500", "A fault of the server"),
    ] {
        let content = json!({"application/problem+json": {"schema": reference("Problem")}});
        responses.insert(status.to_owned(), json!({"description": meaning, "content": content}));
    }
    let mut described = json!({
        "operationId": operation.id,
        "summary": operation.summary,
        "description": format!("For {} of the workspace.", match operation.role {
            super::Role::Admin => "administrators",
            super::Role::Member => "members",
        }),
        "parameters": parameters,
        "responses": responses,
    });
    if matches!(operation.takes, Takes::Object(_)) {
        described["requestBody"] = json!({
            "required": true,
            "content": {"application/json": {"schema": reference(operation.request)}},
        });
    }
    described
}

fn parameter(name: &str, place: &str, schema: Value) -> Value {
    json!({"name": name, "in": place, "required": true, "schema": schema})
}

fn reference(name: &str) -> Value {
    json!({"$ref": format!("#/components/schemas/{name}")})
}

fn schema<T: JsonSchema>(generator: &mut SchemaGenerator) -> Value {
    generator.subschema_for::<T>().to_value()
}

fn schemas() -> Value {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.definitions_path = "/components/schemas".into();
        settings.meta_schema = None;
    });
    let mut generator = settings.into_generator();
    schema::<Preview>(&mut generator);
    schema::<InstallResult>(&mut generator);
    schema::<Plan>(&mut generator);
    schema::<Diff>(&mut generator);
    schema::<Drift>(&mut generator);
    schema::<BundleList>(&mut generator);
    schema::<BundleDetail>(&mut generator);
    schema::<UninstallResult>(&mut generator);
    schema::<Catalog>(&mut generator);
    schema::<Synced>(&mut generator);
    schema::<Audit>(&mut generator);
    schema::<Forgotten>(&mut generator);
    schema::<Marked>(&mut generator);
    schema::<Rotated>(&mut generator);
    schema::<Export>(&mut generator);
    let bundle = schema::<Bundle>(&mut generator);
    let signature = json!({"anyOf": [schema::<Signature>(&mut generator), {"type": "null"}]});
    let issue = schema::<Issue>(&mut generator);
    let adoption = schema::<Adoption>(&mut generator);
    let on_conflict = schema::<OnConflict>(&mut generator);
    let mut schemas = generator.take_definitions(true);
    let flag = json!({"type": "boolean", "default": false});
    let text = json!({"type": ["string", "null"]});
    let values = json!({"type": "object", "description": "Values by key of a setup field"});
    let object = |required: &[&str], properties: Value| json!({"type": "object", "required": required, "properties": properties, "additionalProperties": false});
    let only = json!({"type": ["array", "null"], "items": {"type": "string"}, "description": "What is installed, as `kind/key`"});
    let item = json!({"type": ["string", "null"], "description": "Name of a catalog's item, or `<registry>/<name>`, in place of a document"});
    let analyze = object(
        &[],
        json!({"source": text, "source_url": text, "catalog": item, "signature": signature, "accept_origin": flag, "only": only}),
    );
    let plan = json!({"bundle": bundle, "catalog": item, "signature": signature, "setup_values": values, "origin": text, "accept_origin": flag, "allow_enabled": flag});
    let with = |more: Value| {
        let mut members = plan.clone();
        if let (Some(members), Value::Object(more)) = (members.as_object_mut(), more) {
            members.extend(more);
        }
        members
    };
    let problem = json!({
        "type": "object",
        "required": ["type", "title", "status", "code", "detail", "issues"],
        "properties": {
            "type": {"type": "string"},
            "title": {"type": "string"},
            "status": {"type": "integer"},
            "code": {"type": "string"},
            "detail": {"type": "string"},
            "issues": {"type": "array", "items": issue},
        },
    });
    for (name, value) in [
        ("AnalyzeRequest", analyze),
        ("PlanRequest", object(&[], plan.clone())),
        (
            "InstallRequest",
            object(&[], with(json!({"keep_secrets": flag, "repair_wiring": flag, "only": only}))),
        ),
        (
            "ApplyRequest",
            object(&[], with(json!({"on_conflict": on_conflict, "prune": flag, "state": text}))),
        ),
        ("AdoptRequest", object(&["entities"], json!({"entities": {"type": "array", "items": adoption}}))),
        (
            "SetSecretRequest",
            object(
                &["field", "value"],
                json!({"field": {"type": "string"}, "value": {"type": "string", "writeOnly": true}}),
            ),
        ),
        ("SyncRequest", object(&["registry"], json!({"registry": {"type": "string"}}))),
        ("RetainRequest", object(&["retain"], json!({"retain": {"type": "boolean"}}))),
        ("Problem", problem),
    ] {
        schemas.insert(name.to_owned(), value);
    }
    Value::Object(schemas)
}
