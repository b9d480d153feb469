internal import Apps
internal import ArgumentParser
internal import CoreCommands

/// All commands, in the groups in which help shows them.
///
/// The parser asks every command that it is given for its name before it looks at the first argument, and for the many
/// that are named by their type that costs more than the command itself. So it is given the branch that was named, and
/// all of them only where none was, for help and words that are no command, and to the one that tells of them all.
enum CommandTree {
  /// What the parser is to know for these arguments, the program's own name first, besides `groups`.
  static func subcommands(of arguments: [String]) -> [any ParsableCommand.Type] {
    named(by: arguments).map { [$0] } ?? [VersionCommand.self]
  }

  /// The groups that the parser is to know for these arguments.
  static func groups(of arguments: [String]) -> [CommandGroup] {
    named(by: arguments) == nil ? groups : []
  }

  /// Whether a word is a command that needs no manifest.
  static func isCommand(_ word: String) -> Bool {
    named(by: ["fettle", word]) != nil
  }

  /// The command that the first argument names, if it names one.
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
          UpCommand.self, DownCommand.self, WorkCommand.self, MigrateCommand.self, DoctorCommand.self,
          DemoCommand.self,
          VerifyCommand.self, PsqlCommand.self,
        ]
      ),
      CommandGroup(
        name: "Companies and people",
        subcommands: [
          CompanyCommand.self, MemberCommand.self, InviteCommand.self, RoleCommand.self, TokenCommand.self,
          AccessCommand.self, EntitlementCommand.self,
        ]
      ),
      CommandGroup(
        name: "From a file",
        subcommands: [ApplyCommand.self, DiffCommand.self, ExportCommand.self]
      ),
      CommandGroup(
        name: "Apps",
        subcommands: NounTable.current.commands + CompiledApps.registry.apps.flatMap(\.commands)
      ),
      CommandGroup(
        name: "Records of any type",
        subcommands: [RecordCommand.self, WorkflowCommand.self, WebhookCommand.self]
      ),
      CommandGroup(
        name: "Look",
        subcommands: [
          ReportCommand.self, JobCommand.self, QueueCommand.self, ScheduleCommand.self, InboxCommand.self,
          AuditCommand.self,
          HistoryCommand.self,
          AppCommand.self,
          CompletionCommand.self, ManualCommand.self,
        ]
      ),
    ]
  }
}
