internal import Cluster
internal import FoundationEssentials

/// The programs `pgbench` and `psql`, run against the same server.
struct Pgbench: Sendable {
  let server: BenchServer
  var database = BenchServer.database

  /// Runs a script repeatedly; counts transactions as pgbench does, without connection time.
  ///
  /// - Parameters:
  ///   - seconds: the time; nil to run a number of transactions per client.
  ///   - units: the number of units of work per run of the script.
  func run(
    _ script: String,
    seconds: Int?,
    transactions: Int = 0,
    user: String = "fettle_app",
    clients: Int,
    units: Int = 1,
    _ variables: [String: String] = [:]
  ) throws -> Sample {
    let file = "\(server.cluster.directory)/bench.sql"
    try Data(script.utf8).write(to: URL(filePath: file))
    let jobs = min(clients, ProcessInfo.processInfo.activeProcessorCount)
    var arguments = [
      "--no-vacuum", "--protocol=prepared", "--client=\(clients)", "--jobs=\(jobs)", "--file=\(file)",
    ]
    arguments.append(seconds.map { "--time=\($0)" } ?? "--transactions=\(transactions)")
    arguments += variables.sorted { $0.key < $1.key }.map { "--define=\($0.key)=\($0.value)" }
    let output = try tool("pgbench", arguments + ["--username=\(user)", database])
    let line = output.split(separator: "\n").first { $0.hasPrefix("tps = ") }
    let rate = line.flatMap { Double($0.dropFirst(6).prefix { $0 != " " }) }
    guard let rate, !output.contains("aborted") else { throw Failure("pgbench:\n\(output)") }
    let time = seconds.map(Double.init) ?? Double(clients * transactions) / rate
    return Sample(units: rate * time * Double(units), seconds: time)
  }

  /// Runs commands of psql as a superuser, in one transaction, with the write mode of imports.
  func psql(_ commands: [String]) throws {
    var arguments = [
      "--no-psqlrc", "--quiet", "--single-transaction", "--set=ON_ERROR_STOP=1", "--username=postgres",
    ]
    arguments += commands.map { "--command=\($0)" } + ["--dbname=\(database)"]
    _ = try tool("psql", arguments, ["PGOPTIONS": "-c fettle.write=import"])
  }

  func tool(_ name: String, _ arguments: [String], _ environment: [String: String] = [:]) throws -> String {
    let binaries = try PostgresBinaries.find(environment: ProcessInfo.processInfo.environment)
    let address = ["--host=\(server.cluster.socketDirectory)", "--port=\(server.cluster.port)"]
    return try ChildProcess.run(
      "\(binaries.directory)/\(name)",
      address + arguments,
      environment: environment
    ).output
  }
}

extension Side {
  /// Creates the side of pgbench with the statements of a trace.
  static func pgbench(_ plan: Plan, _ script: TraceScript, units: Int = 1) -> Side {
    .rate("pgbench, same statements") {
      let pgbench = Pgbench(server: plan.server)
      return try pgbench.run(
        script.text,
        seconds: plan.seconds,
        clients: plan.clients,
        units: units,
        script.variables
      )
    }
  }
}
