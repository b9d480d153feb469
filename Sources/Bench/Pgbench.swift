internal import Cluster
internal import FoundationEssentials

/// The program `pgbench`, run against the same server.
struct Pgbench: Sendable {
  let server: BenchServer
  let database: String

  init(_ server: BenchServer, database: String = BenchServer.database) {
    self.server = server
    self.database = database
  }

  /// Runs a script repeatedly for a period; counts transactions as pgbench does, without connection time.
  ///
  /// - Parameter units: the number of units of work per run of the script.
  func run(
    script: String,
    user: String = "fettle_app",
    clients: Int,
    seconds: Int,
    units: Double = 1,
    variables: [String: String] = [:]
  ) throws -> Sample {
    let file = "\(server.cluster.directory)/bench.sql"
    try Data(script.utf8).write(to: URL(filePath: file))
    let binaries = try PostgresBinaries.find(environment: ProcessInfo.processInfo.environment)
    let output = try Tool(path: "\(binaries.directory)/pgbench").run(
      [
        "--no-vacuum", "--protocol=prepared", "--host=\(server.cluster.socketDirectory)",
        "--port=\(server.cluster.port)", "--username=\(user)", "--client=\(clients)",
        "--jobs=\(min(clients, ProcessInfo.processInfo.activeProcessorCount))", "--time=\(seconds)",
        "--file=\(file)",
      ] + variables.sorted { $0.key < $1.key }.map { "--define=\($0.key)=\($0.value)" } + [database]
    )
    guard !output.contains("aborted"), let rate = Self.rate(in: output) else {
      throw Tool.Failure(description: "pgbench:\n\(output)")
    }
    return Sample(units: rate * units * Double(seconds), seconds: Double(seconds))
  }

  /// Runs a script a fixed number of times per client.
  ///
  /// - Returns: the seconds, without connection time.
  func take(
    script: String,
    user: String = "postgres",
    clients: Int,
    transactions: Int,
    variables: [String: String] = [:]
  ) throws -> Double {
    let file = "\(server.cluster.directory)/bench.sql"
    try Data(script.utf8).write(to: URL(filePath: file))
    let binaries = try PostgresBinaries.find(environment: ProcessInfo.processInfo.environment)
    let output = try Tool(path: "\(binaries.directory)/pgbench").run(
      [
        "--no-vacuum", "--protocol=prepared", "--host=\(server.cluster.socketDirectory)",
        "--port=\(server.cluster.port)", "--username=\(user)", "--client=\(clients)", "--jobs=\(clients)",
        "--transactions=\(transactions)", "--file=\(file)",
      ] + variables.sorted { $0.key < $1.key }.map { "--define=\($0.key)=\($0.value)" } + [database]
    )
    guard !output.contains("aborted"), let rate = Self.rate(in: output) else {
      throw Tool.Failure(description: "pgbench:\n\(output)")
    }
    return Double(clients * transactions) / rate
  }

  private static func rate(in output: String) -> Double? {
    for line in output.split(separator: "\n") where line.hasPrefix("tps = ") {
      return Double(line.dropFirst(6).prefix { $0 != " " })
    }
    return nil
  }
}
