internal import FoundationEssentials

/// The environment of a program: a few variables of the worker, and those of the job.
///
/// The worker's own environment leads to the database, its keys and its service manager, so a variable that
/// is not listed here is not passed on.
struct ProgramEnvironment: Sendable, Equatable {
  /// The worker's variables that every program gets, if they are set.
  static let inherited = ["HOME", "LANG", "LC_ALL", "PATH", "TMPDIR", "TZ"]
  /// The beginning of the names of variables that an operator sets for programs, such as
  /// `FETTLE_PROGRAM_TOKEN`.
  static let prefix = "FETTLE_PROGRAM_"
  /// The variable that marks the processes of one attempt.
  static let mark = "FETTLE_RUN"
  /// The search path if the worker has none.
  private static let defaultPath = "/usr/local/bin:/usr/bin:/bin"

  /// The variables by name.
  let variables: [String: String]

  /// - Parameters:
  ///   - worker: the environment of the worker.
  ///   - job: the id of the job.
  ///   - kind: the kind of the job.
  ///   - run: identifies the attempt among all attempts of all workers.
  init(worker: [String: String], job: UUID, kind: String, run: UUID) {
    var variables = worker.filter { name, _ in
      Self.inherited.contains(name) || name.hasPrefix(Self.prefix)
    }
    variables["PATH"] = variables["PATH"] ?? Self.defaultPath
    variables["FETTLE_JOB"] = job.uuidString.lowercased()
    variables["FETTLE_KIND"] = kind
    variables[Self.mark] = run.uuidString.lowercased()
    self.variables = variables
  }
}
