package import ArgumentParser

/// The part of the installation that a command acts on, and the actor that history and audit name.
///
/// Every command states it at the beginning of its help.
package enum CommandScope: String, CaseIterable, Sendable {
  /// The company of `--company`, with the rights of the member of `--as`.
  case company
  /// The company of `--company`; all companies if none is named.
  case companyOrAll
  /// The company in the argument.
  case namedCompany
  /// The companies of a repeatable `--company`; all companies if none is named.
  case namedCompanies
  /// The companies in a file of `apply` and `diff`.
  case companiesOfFile
  /// The company of `--company` or all companies, which are only read.
  case companiesRead
  /// The company of an invite code.
  case inviteCode
  /// The company of a share link.
  case shareLink
  /// Rows that belong to no company, or to all.
  case installation
  /// The jobs of all companies.
  case worker
  /// The companies of the requests, with the rights of their callers.
  case server
  /// Files and processes of this computer; no database.
  case computer

  /// The statement in the help.
  package var statement: String {
    switch self {
    case .company: "Scope: the company of --company. Actor: the operator, or the member of --as."
    case .companyOrAll:
      """
      Scope: the company of --company, else all companies. Actor: the operator, or in
      a company the member of --as.
      """
    case .namedCompany: "Scope: the named company. Actor: the operator, or the member of --as."
    case .namedCompanies:
      """
      Scope: the companies of --company, else all companies. Actor: the operator, or
      the member of --as.
      """
    case .companiesOfFile: "Scope: the companies in the file. Actor: the operator."
    case .companiesRead: "Scope: the company of --company, else all companies. Actor: the operator."
    case .inviteCode: "Scope: the company of the code. Actor: the person who joins."
    case .shareLink: "Scope: the company of the link. Actor: the link."
    case .installation: "Scope: the installation. Actor: the operator."
    case .worker: "Scope: all companies. Actor: the system."
    case .server: "Scope: the company of each request. Actor: its caller."
    case .computer: "Scope: this computer, without a database. Actor: the operator."
    }
  }
}

extension CommandConfiguration {
  /// Creates the configuration of a command without subcommands, whose help begins with its scope.
  package init(
    commandName: String? = nil,
    abstract: String,
    scope: CommandScope,
    usage: String? = nil,
    discussion: String = "",
    shouldDisplay: Bool = true,
    aliases: [String] = []
  ) {
    self.init(
      commandName: commandName,
      abstract: abstract,
      usage: usage,
      discussion: discussion.isEmpty ? scope.statement : "\(scope.statement)\n\n\(discussion)",
      shouldDisplay: shouldDisplay,
      aliases: aliases
    )
  }
}
