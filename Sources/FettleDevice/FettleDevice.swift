internal import ArgumentParser
internal import FettleClient
internal import Terminal

/// The command `fettle-device`: a phone at the command line.
@main
struct FettleDevice: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fettle-device",
    abstract: "Work with records offline, and synchronise them",
    discussion: """
      Changes are stored in a folder, without a network. Only sign-in, register, sync, sign-out and file talk to the server.

      Examples:
        fettle-device sign-in https://fettle.example --email ana@x.example < password
        fettle-device sync
        fettle-device list maintenance.machine
        fettle-device create maintenance.machine code=RM-002 name=Roller
        fettle-device do maintenance.entry WO-1001 start --comment "On site"
        fettle-device photo maintenance.entry WO-1001 hose.jpg
        fettle-device status
        fettle-device sync
      """,
    subcommands: [
      SignInCommand.self, RegisterCommand.self, ListCommand.self, CreateCommand.self, PatchCommand.self,
      DoCommand.self, DeleteCommand.self, PhotoCommand.self, FileCommand.self, SyncCommand.self,
      StatusCommand.self, ConflictsCommand.self, ResolveCommand.self, RetryCommand.self, SignOutCommand.self,
    ]
  )

  static func main() async {
    do {
      var command = try parseAsRoot()
      if var asynchronous = command as? any AsyncParsableCommand {
        try await asynchronous.run()
      } else {
        try command.run()
      }
    } catch let error as ClientError {
      Output.error("error: \(error.message)")
      if let hint = error.hint { Output.error("hint: \(hint)") }
      exit(withError: ExitCode(1))
    } catch  where exitCode(for: error) == .success {
      print(HelpLayout.arranged(fullMessage(for: error), width: Output.screen.width ?? 80))
    } catch {
      exit(withError: error)
    }
  }
}
