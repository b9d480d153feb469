internal import Cluster
internal import FoundationEssentials

/// Other queues and servers of synchronisation, measured by `deploy/peers/run.py` on the same PostgreSQL.
struct Peers: Sendable {
  /// The result of one measurement of a peer; values that do not apply are nil.
  private struct Result: Decodable {
    var value: Double?
    var jobsPerSecond: Double?
    var serverCpuUsPerJob: Double?
    var workerCpuUsPerJob: Double?
    var p50Ms: Double?
    var p99Ms: Double?
  }

  /// The peers that are job queues, as `run.py` names them.
  static let queues = ["pgqueuer", "awa", "dbos", "procrastinate"]

  private let server: BenchServer
  private let python: String?

  /// - Parameter python: the Python of the environment with the peers; nil for no peers.
  init(_ server: BenchServer, python: String?) {
    self.server = server
    self.python = python
  }

  /// Returns a side for each of these peers, whose value is a rate or another single value.
  func sides(
    _ peers: [String],
    _ figure: String,
    _ options: [String: Int],
    aim: Aim? = nil,
    isOnce: Bool = false
  ) -> [Side] {
    (python == nil ? [] : peers).map { peer in
      Side(name: peer, aim: aim, isOnce: isOnce) { try await run(peer, figure, options)[0] }
    }
  }

  /// Measures a peer once.
  ///
  /// - Returns: its value or its median, and its 99th percentile; nil if the peer cannot do the work or fails.
  func run(_ peer: String, _ figure: String, _ options: [String: Int]) async throws -> [Reading?] {
    guard let python else { return [nil, nil] }
    Report.progress("\(peer), \(figure)")
    let connection = server.cluster.connectionParameters(database: "postgres", user: "postgres")
    let arguments =
      ["deploy/peers/run.py", peer, figure, "--postmaster-pid", "\(server.postmaster)", "--dsn"]
      + [connection.map { "\($0)=\($1)" }.joined(separator: " ")] + options.flatMap { ["--\($0)", "\($1)"] }
    do {
      let output = try ChildProcess.run(python, arguments, environment: ["PYTHONWARNINGS": "ignore"]).output
      let decoder = JSONDecoder()
      decoder.keyDecodingStrategy = .convertFromSnakeCase
      let results = output.split(separator: "\n").filter { $0.hasPrefix("{") }
        .compactMap { try? decoder.decode(Result.self, from: Data($0.utf8)) }
      guard let result = results.last else { throw Failure(output) }
      let cpu = [result.serverCpuUsPerJob, result.workerCpuUsPerJob].map { $0 ?? .nan }
      return [result.value ?? result.jobsPerSecond ?? result.p50Ms, result.p99Ms].map { value in
        value.map { Reading($0, cpu: cpu) }
      }
    } catch {
      Report.progress("\(peer), \(figure) failed: \(error)")
      return [nil, nil]
    }
  }
}
