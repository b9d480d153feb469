internal import Cluster
internal import FoundationEssentials

/// Other job queues, measured by `deploy/peers/run.py`.
struct Peers: Sendable {
  /// The result of one measurement of a peer; values that do not apply are nil.
  struct Result: Decodable, Sendable {
    let peer: String
    let supported: Bool?
    let jobsPerSecond: Double?
    let serverCPU: Double?
    let workerCPU: Double?
    let p50: Double?
    let p99: Double?

    enum CodingKeys: String, CodingKey {
      case peer, supported
      case jobsPerSecond = "jobs_per_second"
      case serverCPU = "server_cpu_us_per_job"
      case workerCPU = "worker_cpu_us_per_job"
      case p50 = "p50_ms"
      case p99 = "p99_ms"
    }
  }

  /// The peers that are job queues, as `run.py` names them.
  static let queues = ["pgqueuer", "awa", "dbos", "procrastinate"]

  let python: String
  let server: BenchServer

  func run(_ peer: String, _ figure: String, _ options: [String]) async throws -> Result? {
    Report.progress("\(peer), \(figure)")
    let postmaster = try await server.postmaster()
    let connection =
      "host=\(server.cluster.socketDirectory) port=\(server.cluster.port) dbname=postgres user=postgres"
    let text = try Tool(path: python).run(
      ["deploy/peers/run.py", peer, figure, "--dsn", connection, "--postmaster-pid", String(postmaster)]
        + options,
      environment: ["PYTHONWARNINGS": "ignore"]
    )
    let results = text.split(separator: "\n").filter { $0.hasPrefix("{") }
      .compactMap { try? JSONDecoder().decode(Result.self, from: Data($0.utf8)) }
    return results.last.flatMap { $0.supported == false ? nil : $0 }
  }
}
