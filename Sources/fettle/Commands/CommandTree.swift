internal import AppInterfaces
internal import Apps
internal import ArgumentParser
internal import CoreCommands

/// All commands, in the groups of the help.
///
/// The parser computes the name of every command in its tree before it reads the first argument. For many
/// commands, that takes longer than running the named one. Therefore the parser gets only the branch that the
/// first argument names. It gets all branches for help, for unknown words, and for the commands that describe
/// the whole tree: `completion` and `manual`.
enum CommandTree {
  /// Returns the ungrouped subcommands for the parser.
  ///
  /// - Parameter arguments: the command line, starting with the program's name.
  static func subcommands(of arguments: [String]) -> [any ParsableCommand.Type] {
    named(by: arguments).map { [$0] } ?? [VersionCommand.self]
  }

  /// Returns the groups of subcommands for the parser; empty if one command is named.
  static func groups(of arguments: [String]) -> [CommandGroup] {
    named(by: arguments) == nil ? groups : []
  }

  /// Returns true if a word is a built-in command other than `completion` and `manual`, which need the
  /// manifests.
  static func isCommand(_ word: String) -> Bool {
    named(by: ["fettle", word]) != nil
  }

  /// Returns the command that the first argument names; nil if there is no such command, or if the command
  /// describes the whole tree.
  private static func named(by arguments: [String]) -> (any ParsableCommand.Type)? {
    let word = NounTable.word(in: arguments)
    let named = groups.lazy.flatMap { $0.subcommands }.first { $0.configuration.commandName == word }
    return named is CompletionCommand.Type || named is ManualCommand.Type ? nil : named
  }

  private static var groups: [CommandGroup] {
    [
      CommandGroup(
        name: "Run",
        subcommands: [
          UpCommand.self, DownCommand.self, WorkCommand.self, ServeCommand.self, ConsoleCommand.self,
          APICommand.self, MigrateCommand.self,
          DoctorCommand.self, KeyCommand.self, DemoCommand.self, VerifyCommand.self, BackupCommand.self,
          RestoreCommand.self, PsqlCommand.self, PostgresCommand.self,
        ]
      ),
      CommandGroup(
        name: "Companies and people",
        subcommands: [
          CompanyCommand.self, MemberCommand.self, PersonCommand.self, RetentionCommand.self,
          InviteCommand.self, RoleCommand.self,
          TokenCommand.self,
          AccessCommand.self, EntitlementCommand.self,
        ]
      ),
      CommandGroup(
        name: "From a file",
        subcommands: [ApplyCommand.self, DiffCommand.self, ExportCommand.self]
      ),
      CommandGroup(
        name: "Apps",
        subcommands: [AppCommand.self] + NounTable.current.commands
          + CompiledApps.registry.apps.flatMap(\.commands)
      ),
      CommandGroup(
        name: "Records of any type",
        subcommands: [
          RecordCommand.self, FileCommand.self, WorkflowCommand.self, WebhookCommand.self, SyncCommand.self,
        ]
      ),
      CommandGroup(
        name: "Jobs",
        subcommands: [JobCommand.self, QueueCommand.self, ScheduleCommand.self]
      ),
      CommandGroup(
        name: "Reports and history",
        subcommands: [
          ReportCommand.self, HistoryCommand.self, AuditCommand.self, InboxCommand.self, MailCommand.self,
        ]
      ),
      CommandGroup(
        name: "Shell",
        subcommands: [CompletionCommand.self, ManualCommand.self]
      ),
    ]
  }
}
