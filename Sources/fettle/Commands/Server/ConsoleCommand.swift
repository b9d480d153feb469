internal import API
internal import ArgumentParser
internal import Console
internal import CoreCommands
internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Logbook
internal import Logging
internal import Postgres
internal import Server
internal import Store
internal import Terminal

struct ConsoleCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "console",
    abstract: "Serve the operator's console to this machine",
    scope: .installation,
    discussion: """
      Pages about the whole installation: queues and jobs of all companies, schedules,
      workers, companies, audit, verification and devices. Listens on 127.0.0.1 only,
      and prints an address that works once, within ten minutes. Every action is in
      the audit, as with the commands. Ctrl-C ends it.

      From another machine, forward the port:
        ssh -L 8091:127.0.0.1:8091 server fettle console

      Examples:
        fettle console
        fettle console --port 9000
      """
  )

  @OptionGroup var connection: ConnectionOptions
  @OptionGroup var storage: BlobOptions

  @Option(help: ArgumentHelp("Port on 127.0.0.1 (default: 8091, or a free port if that is in use)"))
  var port: Int?

  func validate() throws {
    if let port, !(0...65_535).contains(port) { throw ValidationError("--port is 0 to 65535") }
  }

  func run() async throws {
    let watch = WorkerWatch(logs: Logbook(.text), level: .warning, listen: nil)
    defer { watch.logs.finish() }
    let database = try connection.open(as: .admin, poolSize: 4, probeAfter: .seconds(5))
    do {
      try await serve(database, watch)
      await database.close()
    } catch {
      await database.close()
      throw error
    }
  }

  private func serve(_ database: Database, _ watch: WorkerWatch) async throws {
    // The first statement tells of a wrong login before an address is printed.
    let name = try await database.value(
      "select current_database() || coalesce(' @ ' || host(inet_server_addr()), '')",
      as: String.self
    )
    let keys = try await Keyring.open(database)
    let blobs = try storage.store()
    let services = Services(
      database: database,
      rules: AppRegistry.current.rules,
      blobs: blobs,
      keys: { try keys.keys() }
    )
    let entrance = OperatorEntrance()
    let console = OperatorConsole(
      services,
      OperatorConsole.Setting(
        operatorName: Operator.name,
        database: name,
        clock: Self.zone.flatMap { ZoneClock.load($0) }
      ) { try await DoctorCommand.findings(database, blobs) },
      entrance: entrance
    )
    let logger = watch.logger
    let server = HTTPServer(
      API(
        routes: console.routes,
        gate: OperatorGate(),
        report: { error, request in
          logger.error(
            "a request failed",
            metadata: ["error": "\(error)", "request": "\(request.id.uuidString.lowercased())"]
          )
        },
        errorPage: { console.errorPage($0, $1) }
      ),
      HTTPConfiguration(
        ListenAddress(host: "127.0.0.1", port: port ?? 8_091),
        takesAnotherPort: port == nil
      ),
      isReady: { true },
      metrics: nil,
      logger: logger,
      accessLogger: watch.logs.logger("fettle.access", level: .warning),
      onListening: { port in
        Message.tell(
          """
          The operator's console of \(name) is open to this machine. Open in a browser, within ten minutes:

            http://127.0.0.1:\(port)/enter/\(entrance.secret)

          This address works once. Ctrl-C ends the console.
          """
        )
      }
    )
    let process = await WorkerProcess(
      [server],
      stopping: "finishing requests in flight",
      farewell: "stopped immediately",
      watch: watch
    )
    try await process.run(listening: "--port")
    await console.end()
  }

  /// The time zone of this machine, or of the environment; nil if it is not known.
  private static var zone: String? {
    if let named = ProcessInfo.processInfo.environment["TZ"], !named.isEmpty { return named }
    let link = try? FileManager.default.destinationOfSymbolicLink(atPath: "/etc/localtime")
    return link.flatMap { path in
      path.firstRange(of: "zoneinfo/").map { String(path[$0.upperBound...]) }
    }
  }
}
