/// The meaning of a code and its hint.
struct ErrorCatalogueEntry {
  let category: ErrorCategory
  let title: String
  let hint: String

  init(_ category: ErrorCategory, _ title: String, hint: String) {
    self.category = category
    self.title = title
    self.hint = hint
  }
}

/// The only place that maps codes to texts.
enum ErrorCatalogue {
  /// Returns the entry of a code; a test ensures that no code falls through to the default.
  static func entry(for code: ErrorCode) -> ErrorCatalogueEntry {
    switch code {
    case .notFound:
      .init(.notFound, "No such thing here", hint: "Check the spelling, or list what exists.")
    case .unknownTransition:
      .init(
        .notFound,
        "The workflow has no such transition",
        hint: "Show the workflow to see its transitions."
      )
    case .unknownPermission:
      .init(.notFound, "No such permission", hint: "List the permissions with `fettle role permissions`.")
    case .unknownRole:
      .init(.notFound, "The company has no such role", hint: "List the roles with `fettle role list`.")
    case .unknownType:
      .init(.notFound, "No such record type", hint: "List the installed apps with `fettle app list`.")
    case .unknownReport:
      .init(.notFound, "No such report", hint: "List the reports with `fettle report list`.")
    case .unknownJobKind:
      .init(.notFound, "No handler for this kind of job", hint: "Start a worker that handles it.")

    case .noReading:
      .init(.notFound, "The site has no reading yet", hint: "Add a sample, or see whether its gateway sends.")

    case .unauthenticated:
      .init(.denied, "Nobody is signed in", hint: "Sign in, or name a member with --as.")
    case .forbidden:
      .init(.denied, "This is not permitted", hint: "Ask `fettle access explain` what is missing.")
    case .fourEyes:
      .init(.denied, "Another member has to do this", hint: "Ask a member who took no part in it.")
    case .grantExceedsOwn:
      .init(.denied, "Nobody can grant more than they hold", hint: "Ask an owner to grant it.")
    case .memberOutranks:
      .init(.denied, "This member holds more rights than you", hint: "Ask an owner to make the change.")
    case .notGrantable:
      .init(.denied, "A role of a company cannot hold this", hint: "Leave out the permissions named.")
    case .companySuspended:
      .init(.denied, "The company is suspended and can only be read", hint: "Ask the operator to resume it.")
    case .companyArchived:
      .init(.denied, "The company is archived", hint: "Ask the operator to restore it.")
    case .inviteRefused:
      .init(.denied, "This invite code cannot be redeemed", hint: "Ask for a new code.")
    case .entitlementRequired:
      .init(.denied, "This requires an entitlement", hint: "`fettle entitlement grant` grants it.")

    case .wrongState:
      .init(.conflict, "The record is in a status that does not allow this", hint: "See what it allows now.")
    case .stale:
      .init(.conflict, "Somebody changed the record in between", hint: "Read it again, then decide again.")
    case .guardRefused:
      .init(
        .conflict,
        "A condition of the workflow does not hold",
        hint: "See to what the message names first."
      )
    case .transitionDisabled:
      .init(
        .conflict,
        "The company has disabled this transition",
        hint: "`fettle workflow overlay show` shows the reason."
      )
    case .alreadyExists:
      .init(.conflict, "It exists already", hint: "Choose another name, or change the one that exists.")
    case .quotaExceeded:
      .init(
        .conflict,
        "The company has as many records as it may",
        hint: "Delete some, or ask the operator for more with `fettle company quota`."
      )
    case .stillReferenced:
      .init(.conflict, "Other records still refer to it", hint: "Delete or change those first.")
    case .parentDeleted:
      .init(.conflict, "What it belongs to has been deleted", hint: "Restore that first, or choose another.")
    case .lastAdministrator:
      .init(.conflict, "A company needs an active owner or admin", hint: "Make another member admin first.")
    case .lastOwner:
      .init(
        .conflict,
        "A company keeps an active owner",
        hint: "Hand it over with `fettle company transfer`, or make another member owner first."
      )
    case .idempotencyConflict:
      .init(.conflict, "This key was used for another request", hint: "Use a new key for a new request.")
    case .migrationChanged:
      .init(
        .conflict,
        "An applied migration was changed",
        hint: "Restore the file; put changes in a new one."
      )
    case .migrationFailed:
      .init(.conflict, "A migration failed", hint: "Nothing of it was kept; mend its cause and run it again.")
    case .migrationMissing:
      .init(.conflict, "The database is newer or older than this program", hint: "Run `fettle migrate`.")
    case .appVersion:
      .init(
        .conflict,
        "The version of the app does not follow the installed one",
        hint: "Raise version in its manifest with every change."
      )
    case .appInUse:
      .init(.conflict, "Companies still have records of the app", hint: "See which with `fettle app list`.")
    case .statesStillUsed:
      .init(
        .conflict,
        "Records are in states that the new version lacks",
        hint: "Map them under `migrate:`."
      )
    case .planHasOpenEntry:
      .init(
        .conflict,
        "The plan has an entry that is not done",
        hint: "Complete that entry first; `fettle plan show` names the plan."
      )
    case .historyBroken:
      .init(.conflict, "The history does not match its hashes", hint: "Compare it with a backup from before.")

    case .staleReading:
      .init(
        .conflict,
        "The newest reading is too old to be recorded",
        hint: "Give the value, or wait for one."
      )

    case .unavailable:
      .init(.unavailable, "The database does not answer", hint: "Run `fettle doctor`; is PostgreSQL running?")
    case .timedOut:
      .init(.unavailable, "It took too long", hint: "Try again; `fettle doctor` shows what is slow.")
    case .internal:
      .init(.internal, "A defect in Fettle", hint: "Report it with the text above.")

    default:
      inputEntry(for: code)
    }
  }

  /// The codes for invalid input.
  private static func inputEntry(for code: ErrorCode) -> ErrorCatalogueEntry {
    let (title, hint): (String, String) =
      switch code {
      case .valueTooLong: ("The value is too long", "Shorten it.")
      case .missingFields: ("Something required is missing", "Give the fields named.")
      case .unknownFields: ("The type has no such field", "Show the type to see its fields.")
      case .fieldNotEditable:
        ("This field cannot be edited", "Leave it out; the engine or a transition sets it.")
      case .invalidEmail: ("This is not an e-mail address", "Write it like ana@example.com.")
      case .invalidName: ("This name cannot be used", "Use 1 to 200 visible characters.")
      case .invalidSlug:
        ("This short name cannot be used", "Use a-z, 0-9 and single dashes, 2 to 40 of them.")
      case .invalidID: ("This is not an id", "Write a UUID, such as one that a list shows.")
      case .invalidDate: ("This is not a date", "Write it like 2026-03-28.")
      case .invalidTime: ("This is not a time of day", "Write it like 08:00 or 16:30.")
      case .invalidInstant: ("This is not a time stamp", "Write it like 2026-03-28T21:00:00Z.")
      case .badTimestamp:
        ("This cannot be when it was", "Write it like 2026-03-28T21:00:00Z, at most 5 minutes ahead.")
      case .invalidDuration: ("This is not a duration", "Write it like P7D, PT72H or PT15M.")
      case .invalidTimeZone: ("This is not a time zone", "Write it like Europe/Stockholm or UTC.")
      case .invalidSchedule: ("This is not a cron expression", "Write it like 0 5 * * *, daily at 05:00.")
      case .invalidNumber: ("This is not a number that fits", "Write it like 12.50, with a point.")
      case .invalidJSON: ("This is not JSON", "Check the text at the place named.")
      case .invalidPermission: ("This is not a permission", "Write it like maintenance.entry.update.own.")
      case .invalidInviteCode: ("The code is mistyped", "Compare it with the one you were given.")
      case .invalidPassword: ("This password cannot be used", "Use 12 to 128 characters.")
      case .equalTimes: ("Start and end are the same", "Give the time at which the work ended.")
      case .over16Hours: ("More than 16 hours in one go", "Check start and end; split longer work by day.")
      case .guestNameMissing: ("A guest needs a name", "Choose a member, or give the guest's name.")
      case .categoryOfOtherMachine:
        ("The category belongs to another machine", "Choose a base category or its own.")
      case .futureReading: ("The meter was read in the future", "Check the date and the time zone.")
      case .readingBelowLast:
        ("The meter does not run backwards", "Check the value; give --reset if the counter was set back.")
      case .invalidDocument: ("The document cannot be read", "Correct it at the place named.")
      case .unknownKey: ("The document has a key that nothing reads", "Correct its spelling or take it out.")
      case .invalidWorkflow: ("The workflow is not sound", "Correct what each line names.")
      case .invalidManifest: ("The app's manifest is not sound", "Correct what each line names.")
      case .refusedSQL:
        ("The app's SQL does what an app may not", "Keep to tables, views and functions of its own schema.")
      case .invalidImport: ("Lines of the file cannot be imported", "Correct them, or pass --skip-bad.")
      default: ("The input is not valid", "Correct what the message names.")
      }
    return ErrorCatalogueEntry(.invalid, title, hint: hint)
  }
}
