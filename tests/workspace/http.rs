//! HTTP, and the guard before the network.

use crate::rig::{BASE, CANARY, NoNames, NoSkills, Rig, base, open_loopback, serve_once_each};
use agent_bundle::workspace::fetch::{Cidr, Client, EgressProxy, Guard, Resolve, Settings};
use serde_json::{Value, json};
use std::net::{IpAddr, SocketAddr};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

fn analyze(rig: &Rig, body: &Value) -> crate::rig::Answer {
    rig.post("/bundles/analyze", body)
}

#[test]
fn t210_exactly_one_source() {
    let rig = Rig::new();
    for body in [
        json!({"source": BASE, "source_url": "https://h.test/x"}),
        json!({}),
        json!({"source": " "}),
        json!({"source": "", "source_url": "\n"}),
        json!({"source": 5}),
        json!({"source": BASE, "other": 1}),
        json!([]),
    ] {
        let answer = analyze(&rig, &body);
        assert_eq!((answer.status, &answer.body["code"]), (422, &json!("bundle_invalid")), "{body}");
    }
}

#[test]
fn t211_t212_problems_have_one_form() {
    let rig = Rig::new();
    let refused = rig.install(BASE, &json!({}));
    assert_eq!(refused.headers["content-type"], "application/problem+json");
    let members: Vec<&String> = refused.body.as_object().unwrap().keys().collect();
    assert_eq!(members, ["type", "title", "status", "code", "detail", "issues"]);
    assert_eq!(
        (&refused.body["type"], &refused.body["status"], &refused.body["code"]),
        (&json!("about:blank"), &json!(422), &json!("bundle_invalid"))
    );
    for (method, path, status) in [("GET", "/nowhere", 404), ("PUT", "/bundles", 405)] {
        let answer = rig.send(method, path, Some(&rig.admin), Vec::new());
        assert_eq!((answer.status, &answer.body["status"]), (status, &json!(status)));
    }
    let large = rig.send("POST", "/bundles/analyze", Some(&rig.admin), vec![b'x'; 7 * 1024 * 1024]);
    assert_eq!((large.status, &large.body["code"]), (413, &json!("payload_too_large")));
}

#[test]
fn t213_t214_who_may_see_what() {
    let rig = Rig::new();
    let status = |path: &str, token: Option<&str>| rig.send_with("GET", path, token, Vec::new(), &[]).status;
    assert_eq!(status("/v1/workspaces/default/export", Some(&rig.member)), 403);
    assert_eq!(status("/v1/workspaces/default/export", None), 401);
    assert_eq!(status("/v1/workspaces/default/export", Some("abt_wrong")), 401);
    rig.store().create_workspace("other", "Other").unwrap();
    assert_eq!(status("/v1/workspaces/other/export", Some(&rig.admin)), 404);
    assert_eq!(status("/v1/workspaces/missing/export", Some(&rig.admin)), 404);
    assert_eq!(status("/v1/workspaces/A_b/export", Some(&rig.admin)), 404);
    assert_eq!(status("/v1/workspaces/default/bundles/ghost", Some(&rig.member)), 404);
    assert_eq!(status("/v1/workspaces/default/bundles", Some(&rig.member)), 200);
    assert_eq!(rig.send("DELETE", "/bundles/ghost", Some(&rig.member), Vec::new()).status, 403);
}

#[test]
fn the_whole_way_over_http() {
    let rig = Rig::new();
    rig.installed(BASE, &json!({"tok": CANARY}));
    let list = rig.get("/bundles").body;
    assert_eq!(list["bundles"][0]["name"], "demo");
    let shown = rig.get("/bundles/demo").body;
    assert_eq!(shown["entities"].as_array().unwrap().len(), 6);
    assert_eq!(shown["id"], rig.get(&format!("/bundles/{}", shown["id"].as_str().unwrap())).body["id"]);
    let would = rig.send("DELETE", "/bundles/demo?dry_run=true", Some(&rig.admin), Vec::new());
    assert_eq!((would.status, &would.body["dry_run"]), (200, &json!(true)));
    let export = rig.get("/export");
    assert_eq!(export.headers["content-disposition"], "attachment; filename=\"default.bundle.yaml\"");
    assert_eq!(
        (&export.headers["cache-control"], &export.headers["x-content-type-options"]),
        (&"no-store".parse().unwrap(), &"nosniff".parse().unwrap())
    );
    assert_eq!(rig.send("DELETE", "/bundles/demo", Some(&rig.admin), Vec::new()).status, 200);
    assert_eq!(rig.get("/bundles").body, json!({"bundles": []}));
}

#[test]
fn the_openapi_document_describes_every_route() {
    let rig = Rig::new();
    let document = rig.send_with("GET", "/v1/openapi.json", None, Vec::new(), &[]).body;
    assert_eq!(document["openapi"], "3.1.0");
    let paths = document["paths"].as_object().unwrap();
    assert_eq!(paths.len(), 17);
    let text = document.to_string();
    for reference in text.split("\"#/components/schemas/").skip(1) {
        let name = reference.split('"').next().unwrap();
        assert!(document["components"]["schemas"].get(name).is_some(), "{name}");
    }
    // The schemas hold for what is really answered.
    let check = |name: &str, value: &Value| {
        let schema =
            json!({"$ref": format!("#/components/schemas/{name}"), "components": document["components"]});
        let validator = jsonschema::validator_for(&schema).unwrap();
        let problems: Vec<String> = validator.iter_errors(value).map(|error| error.to_string()).collect();
        assert!(problems.is_empty(), "{name}: {problems:?}");
    };
    check("Preview", &analyze(&rig, &json!({"source": BASE})).body);
    check("Problem", &rig.install(BASE, &json!({})).body);
    check("InstallResult", &rig.installed(BASE, &json!({"tok": CANARY})));
    check("BundleList", &rig.get("/bundles").body);
    check("BundleDetail", &rig.get("/bundles/demo").body);
    check("Drift", &rig.get("/bundles/demo/drift").body);
    check("Export", &rig.get("/export?report=true").body);
    let body = json!({"bundle": crate::rig::to_json(BASE), "setup_values": {"mdl": "other"}});
    check("InstallRequest", &body);
    check("Plan", &rig.post("/bundles/plan", &body).body);
    check("Diff", &rig.post("/bundles/diff", &body).body);
    check("Catalog", &rig.get("/catalog").body);
    check("Audit", &rig.get("/audit").body);
    check("UninstallResult", &rig.send("DELETE", "/bundles/demo", Some(&rig.admin), Vec::new()).body);
}

/// Gives fixed answers and counts the questions.
struct Names(AtomicUsize);

impl Resolve for Names {
    fn resolve(&self, name: &str) -> Vec<IpAddr> {
        let count = self.0.fetch_add(1, Ordering::SeqCst);
        let addresses: &[&str] = match name {
            "mixed.test" => &["93.184.216.34", "10.0.0.1"],
            "loop.test" => &["127.0.0.1"],
            "inside.test" => &["10.1.2.3"],
            "outside.test" => &["10.1.3.3"],
            // Public when it is judged, private for whoever asks again.
            "rebind.test" if count == 0 => &["127.0.0.1"],
            "rebind.test" => &["169.254.169.254"],
            _ => &[],
        };
        addresses.iter().map(|address| address.parse().unwrap()).collect()
    }
}

fn plain_http() -> Settings {
    Settings { allow_http: true, ..Settings::default() }
}

fn fetch(rig: &Rig, url: &str) -> crate::rig::Answer {
    analyze(rig, &json!({"source_url": url}))
}

fn refused(rig: &Rig, url: &str, code: &str) -> crate::rig::Answer {
    let answer = fetch(rig, url);
    assert_eq!((answer.status, &answer.body["code"]), (400, &json!(code)), "{url}: {}", answer.text);
    // No resolved address, and nothing that a server said.
    for hidden in ["127.0.0.1", "10.0.0.1", "169.254", "93.184", "::1", "hidden-words"] {
        assert!(!answer.body["detail"].as_str().unwrap().contains(hidden), "{}", answer.text);
    }
    answer
}

#[test]
fn t220_t222_t223_t224_t225_t226_t228_t229_t240_addresses_that_are_refused() {
    let rig = Rig::with(Arc::new(Names(AtomicUsize::new(0))), plain_http(), Arc::new(NoSkills));
    for url in [
        "file:///etc/passwd",
        "ftp://h.test/x",
        "gopher://h.test/x",
        "data:text/plain,x",
        "http://[::1]/",
        "http://[::]/",
        "http://[fe80::1]/",
        "http://[fe80::1%25eth0]/",
        "http://[fc00::1]/",
        "http://[fd00:ec2::254]/",
        "http://[fec0::1]/",
        "http://[ff02::1]/",
        "http://[2001:db8::1]/",
        "http://[::ffff:127.0.0.1]/",
        "http://[::ffff:a9fe:a9fe]/",
        "http://[::127.0.0.1]/",
        "http://[64:ff9b::a9fe:a9fe]/",
        "http://[2002:7f00:1::]/",
        "http://[2001:0:1234::1]/",
        "http://2130706433/",
        "http://0x7f000001/",
        "http://0177.0.0.1/",
        "http://127.1/",
        "http://0/",
        "http://１２７.０.０.１/",
        "http://127。0。0。1/",
        "http://localhost./",
        "http://LOCALHOST/",
        "http://a.localhost/",
        "http://metadata.google.internal/",
        "http://x.local/",
        "http://intranet/",
        "http://mixed.test/",
        "http://user@loop.test/",
        "http://loop.test:22/",
        "http://loop.test:6379/",
        "http://10.0.0.1/",
        "http://192.168.1.1/",
    ] {
        refused(&rig, url, "bundle_source_blocked");
    }
    // In capitals it is http all the same, and then refused for its host.
    assert!(refused(&rig, "HTTP://127.0.0.1/", "bundle_source_blocked").text.contains("public internet"));
    let closed = Rig::new();
    assert!(refused(&closed, "http://h.test/", "bundle_source_blocked").text.contains("https"));
    refused(&closed, "https://unknown.test/", "bundle_source_unavailable");
}

#[test]
fn t230_t231_the_judged_address_is_the_one_that_is_dialled() {
    let address = serve_once_each(|_| answer("text/yaml", BASE.as_bytes()));
    let names = Arc::new(Names(AtomicUsize::new(0)));
    let rig = Rig::with(names.clone(), open_loopback(), Arc::new(NoSkills));
    let answer = fetch(&rig, &format!("http://rebind.test:{}/", address.port()));
    assert_eq!((answer.status, &answer.body["bundle"]["name"]), (200, &json!("demo")));
    assert_eq!(names.0.load(Ordering::SeqCst), 1);
    assert!(answer.body["origin"].as_str().unwrap().starts_with("http://rebind.test:"));
    // The next request asks again, and is refused.
    refused(&rig, &format!("http://rebind.test:{}/", address.port()), "bundle_source_blocked");
}

fn answer(kind: &str, body: &[u8]) -> Vec<u8> {
    let mut bytes =
        format!("HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\nconnection: close\r\n\r\n").into_bytes();
    bytes.extend_from_slice(body);
    bytes
}

fn url(address: SocketAddr) -> String {
    format!("http://loop.test:{}/", address.port())
}

fn open() -> Rig {
    Rig::with(Arc::new(Names(AtomicUsize::new(0))), open_loopback(), Arc::new(NoSkills))
}

#[test]
fn t217_t219_t238_answers_that_are_not_taken() {
    let rig = open();
    let large = serve_once_each(|_| answer("text/plain", &vec![b'x'; 6 * 1024 * 1024]));
    refused(&rig, &url(large), "bundle_source_too_large");
    let lying = serve_once_each(|_| {
        let mut bytes = b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 10\r\n\r\n".to_vec();
        bytes.extend(vec![b'x'; 6 * 1024 * 1024]);
        bytes
    });
    // Only what was announced is read, and that is no document.
    assert_eq!(fetch(&rig, &url(lying)).status, 422);
    for status in [404, 500] {
        let server = serve_once_each(move |_| {
            format!("HTTP/1.1 {status} hidden-words\r\ncontent-length: 12\r\n\r\nhidden-words").into_bytes()
        });
        let text = refused(&rig, &url(server), "bundle_source_unavailable").text;
        assert!(text.contains(&status.to_string()));
    }
    let page = serve_once_each(|_| answer("text/html", b"<p>hidden-words"));
    refused(&rig, &url(page), "bundle_source_unavailable");
    let exact = serve_once_each(|_| {
        let mut text = b"name: exact\n#".to_vec();
        text.resize(5 * 1024 * 1024, b'x');
        answer("text/yaml", &text)
    });
    assert_eq!(fetch(&rig, &url(exact)).status, 200);
}

#[test]
fn t216_a_compressed_flood_is_cut_off() {
    let mut zeros = Vec::new();
    {
        let mut encoder = flate2::write::GzEncoder::new(&mut zeros, flate2::Compression::best());
        let block = vec![b' '; 1024 * 1024];
        for _ in 0..64 {
            std::io::Write::write_all(&mut encoder, &block).unwrap();
        }
        encoder.finish().unwrap();
    }
    let server = serve_once_each(move |_| {
        let mut bytes = b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-encoding: gzip\r\nconnection: close\r\n\r\n".to_vec();
        bytes.extend_from_slice(&zeros);
        bytes
    });
    refused(&open(), &url(server), "bundle_source_too_large");
}

#[test]
fn t218_redirects_are_not_followed() {
    let hits = Arc::new(AtomicUsize::new(0));
    let counter = hits.clone();
    let target = serve_once_each(move |_| {
        counter.fetch_add(1, Ordering::SeqCst);
        answer("text/yaml", BASE.as_bytes())
    });
    let rig = open();
    for location in [url(target), "http://93.184.216.34/".to_owned(), "/".to_owned()] {
        let server = serve_once_each(move |_| {
            format!("HTTP/1.1 302 Found\r\nlocation: {location}\r\ncontent-length: 0\r\n\r\n").into_bytes()
        });
        refused(&rig, &url(server), "bundle_source_unavailable");
    }
    assert_eq!(hits.load(Ordering::SeqCst), 0);
}

#[test]
fn t234_slow_answers_are_given_up() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        drop(std::io::Write::write_all(&mut stream, b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n\r\n"));
        for _ in 0..100 {
            std::thread::sleep(Duration::from_millis(100));
            if std::io::Write::write_all(&mut stream, b"x").is_err() {
                return;
            }
        }
    });
    let mut rig = open();
    rig.app.client.total = Duration::from_millis(600);
    let started = Instant::now();
    refused(&rig, &url(address), "bundle_source_unavailable");
    assert!(started.elapsed() < Duration::from_secs(3));
    let client = Client::new(Guard::new(Settings::default(), Arc::new(NoNames)));
    assert_eq!(client.total, Duration::from_secs(10));
}

#[test]
fn t235_line_breaks_in_addresses() {
    refused(&open(), "http://loop.test/\r\nX: y", "bundle_source_blocked");
}

#[test]
fn t236_t237_what_an_operator_opens() {
    let private = vec![Cidr::parse("10.1.2.0/24").unwrap()];
    let guard = Guard::new(
        Settings { allow_http: true, private, ..Settings::default() },
        Arc::new(Names(AtomicUsize::new(0))),
    );
    assert!(guard.judge("http://inside.test/").is_ok());
    assert!(guard.judge("http://outside.test/").is_err());
    let rig = Rig::new();
    let ran = rig.cli(&["workspace", "serve", "--allow-private", "10.1.2.0/99"], b"");
    assert_eq!(ran.code, 2, "{ran:?}");
}

/// A proxy that answers what it is asked to connect to with a document, and notes it; `status` for every tunnel.
fn proxy(status: u16) -> (SocketAddr, Arc<Mutex<Vec<String>>>) {
    use std::io::{BufRead, BufReader, Write};
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let asked = Arc::new(Mutex::new(Vec::new()));
    let notes = asked.clone();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { break };
            let mut reader = BufReader::new(stream.try_clone().unwrap());
            let mut head = |notes: &Mutex<Vec<String>>| {
                let mut line = String::new();
                drop(reader.read_line(&mut line));
                notes.lock().unwrap().push(line.trim().to_owned());
                while reader.read_line(&mut line).is_ok_and(|length| length > 2) {}
            };
            head(&notes);
            drop(stream.write_all(format!("HTTP/1.1 {status} hidden-words\r\n\r\n").as_bytes()));
            if status == 200 {
                head(&notes);
                drop(stream.write_all(&answer("text/yaml", BASE.as_bytes())));
            }
        }
    });
    (address, asked)
}

#[test]
fn t232_an_egress_proxy_is_given_the_name() {
    let (address, asked) = proxy(200);
    let names = Arc::new(Names(AtomicUsize::new(0)));
    let through = |address: SocketAddr| {
        let proxy = Some(EgressProxy::parse(&format!("http://{address}")).unwrap());
        Rig::with(names.clone(), Settings { proxy, ..plain_http() }, Arc::new(NoSkills))
    };
    let rig = through(address);
    let document = fetch(&rig, "http://documents.test/x?y#z");
    assert_eq!(
        (document.status, &document.body["bundle"]["name"]),
        (200, &json!("demo")),
        "{}",
        document.text
    );
    assert_eq!(*asked.lock().unwrap(), ["CONNECT documents.test:80 HTTP/1.1", "GET /x?y HTTP/1.1"]);
    // What can be judged without looking a name up is judged all the same, and the proxy hears nothing of it.
    for url in [
        "http://10.0.0.1/",
        "http://[::1]/",
        "http://localhost/",
        "http://x.internal/",
        "http://h.test:22/",
        "ftp://h.test/",
    ] {
        refused(&rig, url, "bundle_source_blocked");
    }
    assert_eq!(
        (asked.lock().unwrap().len(), names.0.load(Ordering::SeqCst)),
        (2, 0),
        "nothing was looked up"
    );
    let (unwilling, _) = proxy(403);
    assert!(
        refused(&through(unwilling), "http://documents.test/", "bundle_source_unavailable")
            .text
            .contains("proxy")
    );
}

#[test]
fn t232_the_environment_or_an_option_names_the_proxy() {
    let rig = Rig::new();
    let (address, asked) = proxy(403);
    let run = |args: &[&str], value: &str| {
        let args = [&["bundle", "analyze"], args].concat();
        crate::rig::run(rig.directory.path(), &args, BASE.as_bytes(), &[("HTTPS_PROXY", value)])
    };
    let proxy = format!("http://{address}");
    let ran = run(&["https://documents.test/x"], &proxy);
    assert_eq!((ran.code, ran.err.contains("egress proxy")), (6, true), "{ran:?}");
    assert_eq!(*asked.lock().unwrap(), ["CONNECT documents.test:443 HTTP/1.1"]);
    // The option wins, and nothing of a wrong value is told.
    assert_eq!(
        run(&["https://documents.test/x", "--egress-proxy", &proxy], "socks5://me:canary-word@h").code,
        6
    );
    let wrong = run(&["https://documents.test/x"], "socks5://me:canary-word@h");
    assert_eq!(
        (wrong.code, wrong.err.contains("HTTPS_PROXY: "), wrong.err.contains("canary")),
        (1, true, false),
        "{wrong:?}"
    );
    assert_eq!(run(&["-"], "socks5://me:canary-word@h").code, 0, "nothing is fetched");
    assert_eq!(asked.lock().unwrap().len(), 2);
}

#[test]
fn serving_ends_when_asked() {
    let rig = Rig::new();
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_agent-bundle"))
        .args(["workspace", "serve", "--listen", "127.0.0.1:0"])
        .env("AGENT_BUNDLE_STORE", rig.directory.path())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    let mut reader = std::io::BufReader::new(child.stderr.take().unwrap());
    std::io::BufRead::read_line(&mut reader, &mut line).unwrap();
    let address: SocketAddr = line.trim().rsplit('/').next().unwrap().parse().unwrap();
    let body = ureq::get(format!("http://{address}/v1/openapi.json"))
        .call()
        .unwrap()
        .body_mut()
        .read_to_string()
        .unwrap();
    assert!(body.contains("installBundle"));
    let id = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(id, rustix::process::Signal::TERM).unwrap();
    assert!(child.wait().unwrap().success());
}

#[test]
fn a_document_from_an_address_keeps_its_origin() {
    let text = base(&[]);
    let server = serve_once_each(move |_| {
        answer("application/json", crate::rig::to_json(&text).to_string().as_bytes())
    });
    let rig = open();
    let preview = fetch(&rig, &url(server)).body;
    assert_eq!((&preview["installable"], &preview["origin"]), (&json!(true), &json!(url(server))));
}

#[test]
fn a_token_fetches_ten_times_a_minute() {
    let text = base(&[]);
    let server = serve_once_each(move |_| {
        answer("application/json", crate::rig::to_json(&text).to_string().as_bytes())
    });
    let rig = open();
    for _ in 0..10 {
        assert_eq!(fetch(&rig, &url(server)).status, 200);
    }
    let refused = fetch(&rig, &url(server));
    assert_eq!(
        (refused.status, &refused.body["code"]),
        (429, &json!("too_many_requests")),
        "{}",
        refused.text
    );
    let body = serde_json::to_vec(&json!({"source_url": url(server)})).unwrap();
    assert_eq!(rig.send("POST", "/bundles/analyze", Some(&rig.member), body).status, 200, "another token");
}
