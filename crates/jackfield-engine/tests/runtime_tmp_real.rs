use jackfield_engine::client::*; use jackfield_engine::resolve::*; use jackfield_engine::log::*; use jackfield_engine::transport::http::HttpClients; use jackfield_engine::tools::call::*;
use std::time::*; use std::sync::Arc; use std::path::PathBuf; use jackfield_config::HttpProtocol;
fn deps() -> ConnectDeps { ConnectDeps{http:HttpClients::default(),guard: std::env::var("GUARD").ok().map(|g| jackfield_engine::transport::Guard{program:g.into(),prefix:vec![]}),tracker:Default::default(),log:ServerLog::new(),project:Some(Arc::new(PathBuf::from("/tmp")))} }
fn sv(t: ResolvedTransport) -> ResolvedServer { ResolvedServer{transport:t,timeout:Duration::from_secs(30),left_out:vec![],secrets:vec![]} }
async fn run(name:&str, s:ResolvedServer, tool:&str, args:serde_json::Value) {
  let d=deps(); let t=Instant::now();
  match connect(&s, Era::Unknown, &d, &|_|()).await {
    Err(e)=>println!("{name}: {e:?}"),
    Ok(x)=>{ let c=t.elapsed(); let l=x.list_tools().await; println!("{name}: {c:?} {:?}\n  tools {:?} {:?}", x.facts(), l.as_ref().map(|l|l.tools.len()), l.as_ref().map(|l|l.round_trip));
      let (tx,mut rx)=tokio::sync::mpsc::channel(9);
      let o=CallOptions{progress:Some(tx),..Default::default()};
      println!("  call {:?}", x.peer().call_tool(tool, args.as_object().cloned(), o).await.map(|r|r.text()));
      while let Ok(p)=rx.try_recv(){println!("  {p:?}")}
      println!("  ping {:?}", x.peer().ping().await);
      let t=Instant::now(); x.close().await; println!("  closed in {:?}", t.elapsed()); d.tracker.close(); let t=Instant::now(); let w=tokio::time::timeout(Duration::from_secs(5), d.tracker.wait()).await; println!("  tasks {w:?} {:?}", t.elapsed());
      for e in d.log.after(0,8).0 {println!("   {:?} {}",e.kind,e.text)} } } }
#[tokio::test]
async fn real() {
  let env=Arc::new(std::env::vars().map(|(k,v)|(k,Secret::new(v))).collect());
  let st=|c:&str,a:&[&str]| sv(ResolvedTransport::Stdio{command:c.into(),args:a.iter().map(|s|s.to_string()).collect(),env:Arc::clone(&env),cwd:"/tmp/rt-servers".into()});
  run("everything stdio", st("./node_modules/.bin/mcp-server-everything",&["stdio"]),"trigger-long-running-operation",serde_json::json!({"duration":1,"steps":3})).await;
  run("everything npx", st("npx",&["--no-install","mcp-server-everything"]),"echo",serde_json::json!({"message":"hi"})).await;
  run("time", st("venv/bin/mcp-server-time",&[]),"get_current_time",serde_json::json!({"timezone":"UTC"})).await;
  for (p,mode,proto) in [(39301,"streamableHttp",HttpProtocol::Auto),(39302,"sse",HttpProtocol::Auto),(39303,"sse",HttpProtocol::Sse)] {
    let mut c=std::process::Command::new("node").args(["node_modules/@modelcontextprotocol/server-everything/dist/index.js",mode]).env("PORT",p.to_string()).current_dir("/tmp/rt-servers").stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null()).spawn().unwrap();
    tokio::time::sleep(Duration::from_secs(2)).await;
    let path=if mode=="sse"{"sse"}else{"mcp"};
    run(&format!("everything {mode} {proto:?}"), sv(ResolvedTransport::Http{url:format!("http://127.0.0.1:{p}/{path}"),headers:vec![],protocol:proto}),"echo",serde_json::json!({"message":"hi"})).await;
    if mode!="sse" { // goes away
      let d=deps(); let x=connect(&sv(ResolvedTransport::Http{url:format!("http://127.0.0.1:{p}/{path}"),headers:vec![],protocol:proto}), Era::Unknown,&d,&|_|()).await.unwrap();
      tokio::time::sleep(Duration::from_millis(500)).await; let _=c.kill(); let t=Instant::now(); println!("  lost: {:?} after {:?}", tokio::time::timeout(Duration::from_secs(10),x.ended()).await, t.elapsed()); }
    let _=c.kill(); let _=c.wait();
  }
}
