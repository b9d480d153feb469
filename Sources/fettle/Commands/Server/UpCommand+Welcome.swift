internal import Cluster
internal import CoreCommands
internal import FoundationEssentials
internal import Terminal

extension UpCommand {
  /// Returns the text after the start: commands to try, with the program's path as typed, and psql commands.
  func welcome(_ cluster: EmbeddedCluster, _ home: ClusterHome) -> String {
    let fettle = CommandLine.arguments[0]
    let alias = fettle.contains("/") ? "\n  alias fettle=\(ShellWord.quoted(ShellWord.quoted(fettle)))" : ""
    let named = ProcessInfo.processInfo.environment["FETTLE_HOME"].map { _ in
      "\n  export FETTLE_HOME=\(ShellWord.quoted(home.directory))"
    }
    let psql = ["fettle_admin", "fettle_report"].map { user in
      "  " + Psql.line(cluster.connectionParameters(database: "fettle", user: user))
    }
    let tcp = cluster.tcpPort.map { port in
      """

        psql postgresql://fettle_report@127.0.0.1:\(port)/fettle
      The password is in \(ReportPassword.path(in: home.directory)).
      """
    }
    let examples =
      demo
      ? [
        "fettle entry list --company demo", "fettle entry do start WO-1003 --company demo --as ana",
        "fettle inbox list --company demo --as eva", "fettle report run backlog",
      ]
      : ["fettle company create acme --timezone Europe/Stockholm --owner eva@acme.example"]
    return """

      Fettle is up. In another terminal, in this folder, try:
      \(alias)\(named ?? "")
        \(examples.joined(separator: "\n  "))
        fettle --help

      SQL, as the operator and as the reporting role (`fettle psql --role report` does the same):

      \(psql.joined(separator: "\n"))\(tcp ?? "")


      """
  }
}
