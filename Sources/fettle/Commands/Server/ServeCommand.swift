internal import ArgumentParser
internal import CoreCommands
internal import Domain
internal import Jobs
internal import Logbook
internal import Logging
internal import Postgres
internal import Server
internal import Store

struct ServeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve",
    abstract: "Serve the HTTP API",
    scope: .server,
    discussion: """
      Connects as fettle_app. By default it listens on the loopback only. Clients on
      other machines need a proxy with TLS before it: see deploy/guide. Any number of
      servers share a database and its rate limits.

      After SIGTERM or Ctrl-C, the server accepts no more connections and finishes
      the requests in flight for up to 10 seconds. With --shutdown-delay it first goes
      on for that time with /readyz at 503, so that a proxy takes another server. A second signal ends the process
      immediately. GET /livez and /readyz report its health.

      Examples:
        fettle serve
        fettle serve --listen 8081 --metrics 9465 --log-format json
        fettle serve --public-url https://fettle.example --trusted-proxy 127.0.0.1
      """
  )

  @OptionGroup var connection: ConnectionOptions
  @OptionGroup var options: ServeOptions
  @OptionGroup var storage: BlobOptions

  @Option(help: ArgumentHelp("Connections for requests, 1 to 100", valueName: "count"))
  var connections = ServeSetup.Pools.size

  @Option(
    help: ArgumentHelp(
      "Seconds between the signal to stop and the end, 0 to 300 (default: 0)",
      valueName: "seconds"
    )
  )
  var shutdownDelay: Int?

  @Option(help: "Log level: trace, debug, info, notice, warning or error")
  var logLevel = "info"

  @Option(
    help: "Log format; json writes an object per line",
    completion: .list(LogFormat.allCases.map(\.rawValue))
  )
  var logFormat = LogFormat.text

  @Option(
    help: ArgumentHelp(
      "Address for /metrics, /healthz and /readyz (default address: loopback)",
      valueName: "address:port"
    )
  )
  var metrics: String?

  func validate() throws {
    guard metrics.map({ ListenAddress($0) != nil }) ?? true else {
      throw ValidationError("--metrics takes a port or address:port, such as 127.0.0.1:9465")
    }
    guard (1...100).contains(connections) else { throw ValidationError("--connections is 1 to 100") }
    guard (0...300).contains(shutdownDelay ?? 0) else {
      throw ValidationError("--shutdown-delay is 0 to 300")
    }
    guard Logger.Level(rawValue: logLevel) != nil else {
      throw ValidationError("--log-level \(logLevel) is unknown")
    }
  }

  func run() async throws {
    let configuration = try options.configuration()
    let watch = WorkerWatch(
      logs: Logbook(logFormat),
      level: Logger.Level(rawValue: logLevel) ?? .info,
      listen: metrics.flatMap { ListenAddress($0) },
      metrics: RequestMetrics.descriptions + SyncMetrics.descriptions + JobMetricNames.pool
    )
    defer { watch.logs.finish() }
    let keeper = try WitnessService.keeper(watch.logger)
    let adjust: (inout Database.Configuration) -> Void = { configuration in
      ServeSetup.Pools.limit(&configuration)
      keeper.guardConnections(of: &configuration)
    }
    let database = try connection.open(
      as: .app,
      poolSize: connections,
      probeAfter: .seconds(5),
      accepting: .server,
      adjust: adjust
    )
    let bulk = try connection.open(
      as: .app,
      poolSize: ServeSetup.Pools.bulkSize,
      probeAfter: .seconds(5),
      accepting: .server,
      adjust: adjust
    )
    let witness = try await ServeSetup.witness(database, keeper)
    let isEmbedded = connection.isEmbedded
    let departure = shutdownDelay.map { Departure(.seconds($0)) }
    let setup = ServeSetup(
      database: database,
      bulk: bulk,
      configuration: configuration,
      settings: try options.settings(),
      blobs: try storage.store(),
      watch: watch,
      witness: witness,
      departure: departure,
      onListening: { port in
        let address = configuration.address
        // Without its public URL, others reach a server by a name that it does not know.
        guard address.isLoopback || configuration.publicOrigin != nil else { return }
        let local = "http://\(ListenAddress(host: address.host, port: port))"
        ServerAddress.record(configuration.publicOrigin?.text ?? local, isEmbedded: isEmbedded)
      }
    )
    let process = await WorkerProcess(
      [witness] + (try await setup.services()),
      stopping: "finishing requests in flight",
      farewell: "stopped immediately; clients may repeat requests with the same Idempotency-Key",
      watch: watch,
      departure: departure
    )
    try await process.run(listening: "--listen or --metrics")
    await database.close()
    await bulk.close()
  }
}
