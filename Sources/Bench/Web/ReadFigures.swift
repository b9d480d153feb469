internal import API
internal import Cluster
internal import FoundationEssentials

/// Measures reading one record: beside pgbench with the same statements, and beside a plain HTTP server.
struct ReadFigures {
  let server: BenchServer
  let plan: Plan
  let token: BenchToken

  private var wrk: Wrk {
    Wrk(connections: plan.clients, seconds: plan.seconds, folder: server.cluster.directory)
  }

  /// Measures `GET` of random records.
  func entries() async throws -> [Figure] {
    Report.progress("GET of one record")
    let trace = try await APITrace(server: server, token: token).statements(
      .get,
      "/v1/maintenance/entry/\(Fixture.id(Fixture.entry(1, of: 1)).uuidString.lowercased())"
    )
    let script = try await ReadScript(trace, token: token, server: server)
    if plan.showsScripts { print("-- GET one\n\(script.text)") }
    return try await WebServer.with(server, token: token.text) { web in
      let reads = { () throws -> Sample in
        try wrk.run(
          web.address,
          headers: [web.authorization],
          script: WrkScript.readEntries,
          arguments: ["\(Fixture.entriesOfOne)"]
        )
      }
      let besidePgbench = Contest(
        ours: [Contest.Side(name: "GET one record", aim: 0.55, measure: reads)],
        peer: Contest.Side(name: "pgbench, same statements") {
          try Pgbench(server).run(
            script: script.text,
            clients: plan.clients,
            seconds: plan.seconds,
            variables: script.variables
          )
        }
      )
      let figures = try await besidePgbench.run(plan, unit: "requests/s")
      return try await figures + besideHello(Contest.Side(name: "GET one record", aim: 0.12, measure: reads))
    }
  }

  /// Measures `GET` of a record that the client has already.
  func unchanged() async throws -> [Figure] {
    Report.progress("GET of an unchanged record")
    let path = "/v1/maintenance/entry/\(Fixture.id(Fixture.entry(1, of: 1)).uuidString.lowercased())"
    let tag = try await APITrace(server: server, token: token).tag(path)
    return try await WebServer.with(server, token: token.text) { web in
      let contest = Contest(
        ours: [
          Contest.Side(name: "GET, If-None-Match: 304", aim: 1) {
            try wrk.run(web.address + path, headers: [web.authorization, "If-None-Match: \(tag)"])
          }
        ],
        peer: Contest.Side(name: "GET of the same record") {
          try wrk.run(web.address + path, headers: [web.authorization])
        }
      )
      return try await contest.run(plan, unit: "requests/s")
    }
  }

  private func besideHello(_ side: Contest.Side) async throws -> [Figure] {
    let port = try Loopback.freePort()
    let log = "\(server.cluster.directory)/hello.log"
    let hello = try ChildProcess("/proc/self/exe", ["hello", "--port", "\(port)"], log: log)
    do {
      try await answering(port)
      let contest = Contest(
        ours: [side],
        peer: Contest.Side(name: "Hummingbird, constant text") {
          try wrk.run("http://127.0.0.1:\(port)/hello")
        }
      )
      let figures = try await contest.run(plan, unit: "requests/s")
      try await hello.stop()
      return figures
    } catch {
      try await hello.stop()
      throw error
    }
  }

  private func answering(_ port: Int) async throws {
    for _ in 0..<500 {
      if let descriptor = try? Loopback.connect(port: port) {  // refused until the server listens
        Loopback.end(descriptor)
        return
      }
      try await Task.sleep(for: .milliseconds(20))
    }
    throw Tool.Failure(description: "the plain server does not listen")
  }
}
