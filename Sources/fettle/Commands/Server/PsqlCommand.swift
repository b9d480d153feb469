internal import ArgumentParser
internal import Cluster
internal import CoreCommands
internal import Domain
internal import FoundationEssentials
internal import Glibc
internal import Postgres
internal import Terminal

struct PsqlCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "psql",
    abstract: "Open psql on the database, under a role",
    scope: .installation,
    discussion: """
      With --role report, psql can only read the views of schema report, for all
      companies. With --role admin, the operator's role, row-level security applies:
      the error "no company is entered" shows the select that enters a company for the
      session. Arguments after -- are passed to psql. A script on standard input ends
      at its first error, with exit code 3.

      Examples:
        fettle psql --role report
        fettle psql --role report -- -c "select * from v1_backlog limit 5"
      """
  )

  @OptionGroup var connection: ConnectionOptions

  @Option(help: "Database role, unless the connection names a user (default: admin)")
  var role: ConnectionOptions.Login?

  @Argument(
    parsing: .postTerminator,
    help: ArgumentHelp("Arguments of psql", valueName: "psql-argument")
  )
  var arguments: [String] = []

  func run() async throws {
    let role = role ?? .admin
    let parameters = try connection.parameters(for: role)
    // The same logins are refused as by every other command.
    _ = try await connection.open(as: role, poolSize: 1).thenClose { try await $0.execute("select") }
    try Psql.run(parameters, arguments)
  }
}

/// PostgreSQL's command line client.
enum Psql {
  /// Returns libpq connection parameters as options of psql, without passwords.
  static func options(_ parameters: [String: String]) -> [String] {
    let names = [("host", "-h"), ("port", "-p"), ("user", "-U"), ("dbname", "-d")]
    let shown = parameters.filter { !["password", "sslpassword"].contains($0.key) }
    let isPlain = shown["dbname"].map { !$0.contains("=") && !$0.contains("://") } ?? true
    guard isPlain, shown.keys.allSatisfy({ key in names.contains { $0.0 == key } }) else {
      return ["-d", ConnectionString.text(shown)]
    }
    return names.flatMap { name, option in shown[name].map { [option, $0] } ?? [] }
  }

  /// Returns the parameters with those of a connection string or URL in `dbname`, which has less precedence.
  private static func expanded(_ parameters: [String: String]) -> [String: String] {
    guard let text = parameters["dbname"], let named = ConnectionString(text) else { return parameters }
    return named.parameters.merging(parameters.filter { $0.key != "dbname" }) { $1 }
  }

  /// Returns the shell command that connects with psql.
  static func line(_ parameters: [String: String]) -> String {
    (["psql"] + options(parameters).map(ShellWord.quoted)).joined(separator: " ")
  }

  /// Replaces this process with psql, and does not return. A password is passed in the environment, which
  /// other users cannot read, unlike the command line.
  ///
  /// - Throws: `unavailable` if psql cannot be started.
  static func run(_ parameters: [String: String], _ arguments: [String]) throws {
    let parameters = expanded(parameters)
    if let password = parameters["password"] { setenv("PGPASSWORD", password, 1) }
    // Rows that are wider than the terminal are shown one column a line.
    // A script that is piped in ends at its first error, with exit code 3: psql alone goes on and ends with 0.
    let stops = isatty(STDIN_FILENO) == 1 ? [] : ["-v", "ON_ERROR_STOP=1"]
    let words = ["psql", "-P", "expanded=auto"] + stops + options(parameters) + arguments
    var pointers = words.map { strdup($0) } + [nil]
    defer { for pointer in pointers { free(pointer) } }
    execvp("psql", &pointers)
    // psql may be missing on PATH but present in the folder of the server's programs.
    let environment = ProcessInfo.processInfo.environment
    if errno == ENOENT, let binaries = try? PostgresBinaries.find(environment: environment) {
      execv("\(binaries.directory)/psql", &pointers)
    }
    throw DomainError(
      .unavailable,
      "cannot start psql: \(String(cString: strerror(errno)))",
      hint: "install it with `apt-get install postgresql-client`"
    )
  }
}
