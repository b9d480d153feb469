internal import ArgumentParser
internal import FettleClient

/// `fettle-device sign-in`.
struct SignInCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sign-in",
    abstract: "Sign in, and become a device of the user",
    discussion: """
      The password is the first line of the standard input, and the code of a second factor the second line.

      Without an account, begin as a visitor: a later sign-in takes over everything, with what waits on the device.

      Examples:
        fettle-device sign-in https://fettle.example --email ana@x.example < password
        fettle-device sign-in http://127.0.0.1:8080 --email ana@shop.example \\
          --company workshop --app maintenance < password
        fettle-device sign-in https://fettle.example --email bo@shop.example \\
          --name "Bo Li" --code ABCD-EFGH < password
        fettle-device sign-in https://fettle.example --visitor --app trips
        fettle-device sign-in https://fettle.example --email bo@shop.example \\
          --name "Bo Li" --new < password
      """
  )

  @OptionGroup var folder: DeviceFolder
  @Argument(help: "Address of the server") var server: String
  @Option(help: "E-mail address") var email: String?
  @Flag(help: "Begin without an account") var visitor = false
  @Option(help: "Short name of the company (default: the last one)") var company: String?
  @Option(help: "App whose records the device has (default: all)") var app: String?
  @Option(
    help: ArgumentHelp(
      "Days for which the device keeps work that is done, 1 to 3650 (default: all of it)",
      valueName: "days"
    )
  )
  var doneDays: Int?
  @Option(help: "Name of the device") var device: String?
  @Option(help: "Invite code: creates an account that joins a company") var code: String?
  @Flag(help: "Create an account without an invite code") var new = false
  @Option(help: "Name of the person, for a new account") var name: String?

  func validate() throws {
    guard visitor == (email == nil) else { throw ValidationError("add --email, or --visitor") }
    if let doneDays, !(1...3_650).contains(doneDays) {
      throw ValidationError("--done-days is a number from 1 to 3650")
    }
  }

  func run() async throws {
    guard let email else {
      try save("a visitor")
      try await folder.open { client in
        _ = try await client.signIn(.visitor())
        print("began as a visitor on device \(Output.text(try await client.device))")
      }
      return
    }
    guard let password = readLine(strippingNewline: true), !password.isEmpty else {
      throw ValidationError("the password is missing: write it to the standard input")
    }
    try save(email)
    var way: SignIn = .password(email: email, password: password)
    if new || code != nil {
      way = .newAccount(email: email, name: name ?? email, password: password, code: code)
    }
    if let company { way = way.entering(company: company) }
    let chosen = way
    try await folder.open { client in
      if case .secondFactor(let token) = try await client.signIn(chosen) {
        guard let code = readLine(strippingNewline: true), !code.isEmpty else {
          throw ClientError(.signInRefused, "the code of the second factor is missing on the second line")
        }
        var second: SignIn = .secondFactor(stepToken: token, code: code)
        if let company { second = second.entering(company: company) }
        _ = try await client.signIn(second)
      }
      print("signed in as \(email) on device \(Output.text(try await client.device))")
    }
  }

  /// Stores the server, and the description of the device.
  private func save(_ user: String) throws {
    let known = try? folder.settings()
    try folder.save(
      DeviceFolder.Settings(
        server: server,
        app: app ?? known?.app,
        name: device ?? known?.name ?? "fettle-device of \(user)",
        doneDays: doneDays ?? known?.doneDays
      )
    )
  }
}

/// `fettle-device register`.
struct RegisterCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "register",
    abstract: "Register the device with the server",
    discussion: """
      The first `sync` registers the device too.

      Examples:
        fettle-device register
      """
  )

  @OptionGroup var folder: DeviceFolder

  func run() async throws {
    try await folder.open { client in
      try await client.register()
      print("device \(Output.text(try await client.device)) is registered")
    }
  }
}

/// `fettle-device sign-out`.
struct SignOutCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sign-out",
    abstract: "Sign out, and empty the device",
    discussion: """
      Refuses while changes are not synchronised.

      Examples:
        fettle-device sign-out
        fettle-device sign-out --discard
      """
  )

  @OptionGroup var folder: DeviceFolder
  @Flag(help: "Lose changes that are not synchronised") var discard = false

  func run() async throws {
    try await folder.open { client in
      try await client.signOut(discarding: discard)
      print("signed out")
    }
  }
}
