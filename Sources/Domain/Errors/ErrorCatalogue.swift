/// The category, title and hint of an error code.
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

/// Maps error codes to their categories and texts.
enum ErrorCatalogue {
  /// Returns the entry of a code. A test requires different titles, so only one code can use the default.
  static func entry(for code: ErrorCode) -> ErrorCatalogueEntry {
    switch code {
    case .notFound:
      .init(.notFound, "The named object does not exist", hint: "Check the spelling, or list what exists.")
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
      .init(.notFound, "The site has no reading yet", hint: "Add a sample, or check that its gateway sends.")

    case .unauthenticated:
      .init(.denied, "Nobody is signed in", hint: "Sign in, or name a member with --as.")
    case .forbidden:
      .init(.denied, "This is not permitted", hint: "Run `fettle access explain` to see what is missing.")
    case .fourEyes:
      .init(.denied, "This requires another member", hint: "Ask a member who did not do the earlier step.")
    case .grantExceedsOwn:
      .init(.denied, "Nobody can grant more than they hold", hint: "Ask an owner to grant it.")
    case .memberOutranks:
      .init(.denied, "This member holds more rights than you", hint: "Ask an owner to make the change.")
    case .notGrantable:
      .init(
        .denied,
        "A role of a company cannot hold this",
        hint: "Leave out the permissions that are named."
      )
    case .companySuspended:
      .init(.denied, "The company is suspended and can only be read", hint: "Ask the operator to resume it.")
    case .companyArchived:
      .init(.denied, "The company is archived", hint: "Ask the operator to restore it.")
    case .inviteRefused:
      .init(.denied, "This invite code cannot be redeemed", hint: "Ask for a new code.")
    case .entitlementRequired:
      .init(.denied, "This requires an entitlement", hint: "Grant it with `fettle entitlement grant`.")

    case .wrongState:
      .init(
        .conflict,
        "The current status does not allow this",
        hint: "Check the current status and its transitions."
      )
    case .stale:
      .init(.conflict, "The record was changed in the meantime", hint: "Read the record again, then retry.")
    case .guardRefused:
      .init(
        .conflict,
        "A condition of the workflow does not hold",
        hint: "Fulfil the condition that the message names."
      )
    case .transitionDisabled:
      .init(
        .conflict,
        "The company has disabled this transition",
        hint: "Show the overlay with `fettle workflow overlay show`."
      )
    case .alreadyExists:
      .init(
        .conflict,
        "The object already exists",
        hint: "Choose another name, or change the existing object."
      )
    case .quotaExceeded:
      .init(
        .conflict,
        "The company's record quota is used up",
        hint: "Delete records, or ask the operator to raise the quota with `fettle company quota`."
      )
    case .stillReferenced:
      .init(.conflict, "Other records refer to this one", hint: "Delete or change those records first.")
    case .parentDeleted:
      .init(.conflict, "The referenced record is deleted", hint: "Restore that record, or choose another.")
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
      .init(.conflict, "A migration failed and was rolled back", hint: "Fix the cause, then run it again.")
    case .migrationMissing:
      .init(.conflict, "The database is newer or older than this program", hint: "Run `fettle migrate`.")
    case .appVersion:
      .init(
        .conflict,
        "The version of the app does not follow the installed one",
        hint: "Raise version in its manifest with every change."
      )
    case .appInUse:
      .init(
        .conflict,
        "Companies still have records of the app",
        hint: "Find the companies with `fettle app list`."
      )
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
      .init(.conflict, "The history does not match its hashes", hint: "Compare it with an older backup.")

    case .staleReading:
      .init(
        .conflict,
        "The newest reading is too old to be recorded",
        hint: "Pass the value, or wait for a newer reading."
      )

    case .unavailable:
      .init(
        .unavailable,
        "The database does not answer",
        hint: "Check that PostgreSQL is running: `fettle doctor`."
      )
    case .timedOut:
      .init(
        .unavailable,
        "The operation took too long",
        hint: "Try again; `fettle doctor` shows what is slow."
      )
    case .internal:
      .init(.internal, "A defect in Fettle", hint: "Report it with the text above.")

    default:
      inputEntry(for: code)
    }
  }

  /// Returns the entry of a code for invalid input.
  private static func inputEntry(for code: ErrorCode) -> ErrorCatalogueEntry {
    let (title, hint): (String, String) =
      switch code {
      case .valueTooLong: ("The value is too long", "Shorten it.")
      case .missingFields: ("A required value is missing", "Add the fields that are named.")
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
      case .invalidInstant: ("This is not a timestamp", "Write it like 2026-03-28T21:00:00Z.")
      case .badTimestamp:
        ("This time cannot be correct", "Write it like 2026-03-28T21:00:00Z, at most 5 minutes ahead.")
      case .invalidDuration: ("This is not a duration", "Write it like P7D, PT72H or PT15M.")
      case .invalidTimeZone: ("This is not a time zone", "Write it like Europe/Stockholm or UTC.")
      case .invalidSchedule: ("This is not a cron expression", "Write it like 0 5 * * *, daily at 05:00.")
      case .invalidNumber: ("This is not a valid number", "Write it like 12.50, with a point.")
      case .invalidJSON: ("This is not JSON", "Check the text at the position in the message.")
      case .invalidPermission: ("This is not a permission", "Write it like maintenance.entry.update.own.")
      case .invalidInviteCode: ("The code is mistyped", "Compare it with the one you were given.")
      case .invalidPassword: ("This password cannot be used", "Use 12 to 128 characters.")
      case .equalTimes: ("Start and end are the same", "Give the time at which the work ended.")
      case .over16Hours:
        ("One time entry has more than 16 hours", "Check start and end; split longer work by day.")
      case .guestNameMissing: ("A guest needs a name", "Choose a member, or give the guest's name.")
      case .categoryOfOtherMachine:
        ("The category belongs to another machine", "Choose a base category, or one of this machine.")
      case .futureReading: ("The reading is in the future", "Check the date and the time zone.")
      case .readingBelowLast:
        ("The reading is below the previous one", "Check the value; pass --reset if the counter was reset.")
      case .invalidDocument: ("The document cannot be read", "Correct it at the position in the message.")
      case .unknownKey: ("The document has an unknown key", "Correct the spelling, or remove the key.")
      case .invalidWorkflow: ("The workflow has errors", "Correct each listed error.")
      case .invalidManifest: ("The app's manifest has errors", "Correct each listed error.")
      case .refusedSQL:
        ("The app's SQL does more than an app may", "Use only tables, views and functions of its schema.")
      case .invalidImport: ("Some lines of the file cannot be imported", "Correct them, or pass --skip-bad.")
      default: ("The input is not valid", "Correct the value that the message names.")
      }
    return ErrorCatalogueEntry(.invalid, title, hint: hint)
  }
}
