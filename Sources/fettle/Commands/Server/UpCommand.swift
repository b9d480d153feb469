internal import AppInterfaces
internal import Apps
internal import ArgumentParser
internal import Cluster
internal import Console
internal import CoreCommands
internal import Demo
internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Glibc
internal import Jobs
internal import Logbook
internal import Logging
internal import Mail
internal import Postgres
internal import Secrets
internal import Server
internal import ServiceLifecycle
internal import Store
internal import Webhooks

struct UpCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "up",
    abstract: "Run the whole product on an embedded PostgreSQL",
    scope: .installation,
    discussion: """
      The first start creates a private PostgreSQL, with its data in FETTLE_HOME or
      in .fettle in the current folder, and a demo company. Every start migrates the
      database, installs the bundled apps, runs a worker and serves the HTTP API on
      this machine. Ctrl-C stops them and PostgreSQL; the data is kept for the next
      start.

      PostgreSQL listens on a Unix socket only. With --port, the role fettle_report
      can also connect to 127.0.0.1; its password is in report.password in the data
      folder. The Unix socket keeps its number, 5432.

      Examples:
        fettle up
        FETTLE_HOME=/var/lib/fettle fettle up --no-demo
        fettle up --detach        leave PostgreSQL running; `fettle down` stops it
        fettle up --http 8081     serve the API at another port
        fettle up --port 5433     let BI tools read the reports
        fettle up --handler report.print=./print
      """
  )

  @OptionGroup var storage: BlobOptions

  @Flag(inversion: .prefixedNo, help: "Load a demo company into an empty database")
  var demo = true

  @Flag(help: "Leave PostgreSQL running and return, without worker and API")
  var detach = false

  @Flag(help: "Let webhooks reach private networks and this machine")
  var allowPrivateWebhooks = false

  @Option(
    help: ArgumentHelp(
      "Address of the API on this machine, or none (default: 8080, or a free port if that is in use)",
      valueName: "address:port"
    )
  )
  var http: String?

  @Option(
    help: ArgumentHelp("Port on 127.0.0.1 for reports, 1024 to 65535 (default: none)", valueName: "port")
  )
  var port: Int?

  @OptionGroup var programs: HandlerOptions

  @OptionGroup var mail: MailOptions

  func validate() throws {
    if detach, !programs.handler.isEmpty {
      throw ValidationError("--handler needs a worker: leave out --detach")
    }
    if let port, !(1_024...65_535).contains(port) { throw ValidationError("--port is 1024 to 65535") }
    if let http, http != "none", ListenAddress(http)?.isLoopback != true {
      throw ValidationError("--http takes a port, an address of this machine such as 127.0.0.1:8080, or none")
    }
  }

  func run() async throws {
    let mail = try mail.settings()
    let handlers = try programs.programs()
    let home = try ClusterHome.locate()
    if let note = home.note { Message.tell(note) }
    let cluster = try await EmbeddedCluster(home: home).listening(on: port)
    if !cluster.isInitialised { Message.tell("creating a PostgreSQL in \(home.directory)") }
    let use = try await ClusterUse.begin(cluster)
    let watch = detach ? nil : try await Self.watch(home)
    _ = try await cluster.start()
    let lock = try await SetupLock.take(in: home.directory)
    try await EmbeddedInstallation(cluster).prepare()
    try await withAdmin(cluster) { _ = try await Keyring.ready($0) }
    if cluster.tcpPort != nil { try await ReportPassword(cluster, in: home.directory).set() }
    if demo { try await loadDemo(cluster) }
    _ = consume lock
    if detach {
      let rest = "No worker is running: start one with `fettle work`. `fettle down` stops PostgreSQL."
      return Message.tell(welcome(cluster, home) + rest)
    }
    do {
      try await work(cluster, handlers, mail: mail, welcome: welcome(cluster, home))
    } catch {
      try await stop(cluster, use)
      throw error
    }
    try await stop(cluster, use)
    watch?.dismiss()
  }

  /// Stops PostgreSQL, unless another `fettle up` uses it.
  private func stop(_ cluster: EmbeddedCluster, _ use: consuming ClusterUse) async throws {
    guard cluster.standing != .stopped else { return }
    guard let last = use.ending() else {
      return Message.tell("PostgreSQL keeps running for another `fettle up`; the last one stops it")
    }
    Message.tell("stopping PostgreSQL")
    try await cluster.stop()
    _ = consume last
  }

  /// Begins to watch this process: if it dies, `fettle down` stops PostgreSQL.
  private static func watch(_ home: ClusterHome) async throws -> EndWatch {
    let path = realpath("/proc/self/exe", nil)
    defer { free(path) }
    let program = path.map { String(cString: $0) } ?? CommandLine.arguments[0]
    return try await EndWatch.begin(
      [program, "down", "--unless-used"],
      variables: ["FETTLE_HOME=\(home.directory)"]
    )
  }

  private func loadDemo(_ cluster: EmbeddedCluster) async throws {
    try await withAdmin(cluster) { database in
      let keys = try await Keyring.ready(database)
      let services = Services(database: database, rules: AppRegistry.current.rules, keys: { keys })
      let companies = try await Companies(services).list().map(\.slug)
      if companies.isEmpty || companies == ["demo"] {
        try await DemoCompany(services, CompiledApps.demos).load(operatorName: Operator.name)
      }
    }
  }

  private func withAdmin(_ cluster: EmbeddedCluster, _ body: (Database) async throws -> Void) async throws {
    let database = Database(
      .init(parameters: cluster.connectionParameters(database: "fettle", user: "fettle_admin"), poolSize: 2)
    )
    do {
      try await body(database)
      await database.close()
    } catch {
      await database.close()
      throw error
    }
  }

  /// Runs a worker and a server until a signal.
  private func work(
    _ cluster: EmbeddedCluster,
    _ handlers: [Program],
    mail: MailSettings?,
    welcome: String
  ) async throws {
    let watch = WorkerWatch(logs: Logbook(.text), level: .warning, listen: nil)
    let keeper = try WitnessService.keeper(watch.logger)
    func open(_ user: String, _ poolSize: Int, adjust: (inout Database.Configuration) -> Void = { _ in })
      -> Database
    {
      var configuration = Database.Configuration(
        parameters: cluster.connectionParameters(database: "fettle", user: user),
        poolSize: poolSize,
        probeAfter: WorkerConfiguration.databaseProbeAfter,
        applicationName: Self.applicationName
      )
      adjust(&configuration)
      keeper.guardConnections(of: &configuration)
      return Database(configuration)
    }
    let blobs = try storage.store()
    let database = open("fettle_worker", 7)
    let requests = open("fettle_app", ServeSetup.Pools.size, adjust: ServeSetup.Pools.limit)
    let bulk = open("fettle_app", ServeSetup.Pools.bulkSize, adjust: ServeSetup.Pools.limit)
    let witness = try await ServeSetup.witness(database, keeper)
    var services: [any Service] = [witness]
    services += try await WorkCommand.services(
      database,
      queues: ["default": 1],
      concurrency: 4,
      policy: allowPrivateWebhooks ? .publicAndPrivate : .publicOnly,
      programs: handlers,
      limits: programs.limits,
      mail: mail,
      blobs: blobs,
      watch: watch
    )
    let welcome = welcome + "Ctrl-C stops it."
    let address = httpAddress
    if let address {
      let entrance = demo && LocalHost.isNamed(by: address.host) ? Entrance() : nil
      let setup = ServeSetup(
        database: requests,
        bulk: bulk,
        configuration: HTTPConfiguration(address, takesAnotherPort: http == nil),
        settings: ServeRoutes.Settings(
          excludedPasswords: try PasswordList.named(in: ProcessInfo.processInfo.environment),
          allowsPrivateWebhooks: allowPrivateWebhooks,
          entrance: entrance
        ),
        blobs: blobs,
        watch: watch,
        witness: witness,
        onListening: { port in
          let opened = ListenAddress(host: address.host, port: port)
          ServerAddress.record("http://\(opened)", isEmbedded: true)
          Message.tell(welcome)
          Message.tell(Self.doors(opened, entrance))
        }
      )
      services += try await setup.services()
    }
    let process = await WorkerProcess(
      services,
      on: [ClusterKeeper(cluster)],
      stopping: "finishing running jobs and requests",
      farewell: "stopped immediately; PostgreSQL stops in a moment",
      watch: watch
    )
    if address == nil { Message.tell(welcome) }
    try await process.run(listening: "--http")
    for database in [database, requests, bulk] { await database.close() }
  }

  /// Returns the addresses to open.
  private static func doors(_ address: ListenAddress, _ entrance: Entrance?) -> String {
    let demo = entrance.map { entrance in
      """
        http://\(address)/enter/\(entrance.secret)
      This address works once, and signs you in as the owner of the demo. The page for everybody else:

      """
    }
    return """

      The API is at http://\(address)/v1/about
      Open in a browser:

      \(demo ?? "")  http://\(address)/
      """
  }

  /// The address of the API; nil for none.
  private var httpAddress: ListenAddress? {
    http.map(ListenAddress.init) ?? ListenAddress(host: "127.0.0.1", port: 8_080)
  }

  /// The application name that shows in `pg_stat_activity` which process a connection belongs to.
  private static let applicationName = "fettle up \(getpid())"
}
