import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Store

/// What the rules of a record type do: fields that they accept with the columns that they compute, and fields that they
/// refuse.
struct TypeRow {
  /// Fields, and the code by which they are refused.
  typealias Refusal = (name: String, fields: JSONObject, code: ErrorCode)

  let type: String
  /// Fields of a new record; empty if records of the type are made in another way.
  var new: JSONObject = [:]
  /// Columns that have a value afterwards, although ``new`` does not give them.
  var computed: [String] = []
  /// Fields that replace some of ``new``, and are refused.
  var refused: [Refusal] = []
  /// A change that is accepted; empty if records of the type cannot be changed.
  var change: JSONObject = [:]
  var refusedChanges: [Refusal] = []
  /// Columns whose values differ from record to record.
  var volatile: Set<String> = []
}

extension TypeRow {
  /// The rows of all types; a new type needs one.
  static func all(_ house: House) -> [TypeRow] {
    maintenance(house) + inventory(house) + macros(house) + solar(house) + trips(house)
  }

  private static func maintenance(_ house: House) -> [TypeRow] {
    let (machine, category, other) = (house.id("machine"), house.id("category"), house.id("other"))
    return [
      TypeRow(
        type: "maintenance.machine",
        new: ["code": "EX-9", "name": "Nine"],
        refused: [
          ("blank", ["name": " "], .missingFields), ("known", ["code": "rm-001"], .alreadyExists),
        ],
        change: ["name": "Number nine"],
        refusedChanges: [("known", ["code": "RM-001"], .alreadyExists)]
      ),
      TypeRow(
        type: "maintenance.category",
        new: ["name": "Tracks"],
        refused: [("known", ["name": "ENGINE"], .alreadyExists)],
        change: ["name": "Track pads"],
        refusedChanges: [("known", ["name": "Engine"], .alreadyExists)]
      ),
      TypeRow(
        type: "maintenance.meter",
        new: ["machine_id": machine, "name": "Distance", "unit": "km"],
        refused: [("known", ["name": "Hours"], .alreadyExists)],
        change: ["unit": "mi"]
      ),
      TypeRow(
        type: "maintenance.meter_reading",
        new: ["meter_id": house.id("meter"), "value": "150", "taken_at": "2026-01-12T08:00:00Z"],
        refused: [
          ("below the last", ["value": "90"], .readingBelowLast),
          ("in the future", ["taken_at": "2099-01-01T08:00:00Z"], .futureReading),
          ("negative", ["value": "-1", "is_reset": true], .invalidInput),
          ("four decimals", ["value": "150.0001"], .invalidNumber),
        ],
        change: ["value": "151"],
        refusedChanges: [("below the last", ["value": "90"], .readingBelowLast)]
      ),
      TypeRow(
        type: "maintenance.pm_plan",
        new: ["machine_id": machine, "category_id": category, "title": "Oil change", "every_days": "30"],
        computed: ["next_due_on"],
        refused: [
          ("category of another machine", ["category_id": other], .categoryOfOtherMachine),
          ("no interval", ["every_days": nil], .invalidInput),
          ("start without days", ["every_days": nil, "starts_on": "2026-12-01"], .invalidInput),
        ],
        change: ["every_days": "60"],
        refusedChanges: [
          ("category of another machine", ["category_id": other], .categoryOfOtherMachine)
        ]
      ),
      TypeRow(
        type: "maintenance.entry",
        new: ["machine_id": machine, "category_id": category, "description": "leaks"],
        computed: ["reported_on", "created_by_name", "number", "estimated_hours"],
        refused: [
          ("category of another machine", ["category_id": other], .categoryOfOtherMachine),
          ("priority", ["priority": "9"], .invalidInput),
          ("three decimals", ["estimated_hours": "1.005"], .invalidNumber),
        ],
        change: ["description": "leaks a lot"],
        refusedChanges: [
          ("three decimals", ["estimated_hours": "1.005"], .invalidNumber),
          ("category of another machine", ["category_id": other], .categoryOfOtherMachine),
        ]
      ),
      TypeRow(
        type: "maintenance.time_entry",
        new: [
          "entry_id": house.id("entry"), "user_id": house.id("owner"), "work_date": "2026-01-12",
          "start_time": "08:00", "end_time": "12:00", "has_lunch": true,
        ],
        computed: ["user_name", "started_at", "ended_at", "actual_hours"],
        refused: [
          ("equal times", ["end_time": "08:00"], .equalTimes),
          ("too long", ["end_time": "07:00"], .over16Hours),
          ("nobody", ["user_id": nil], .guestNameMissing),
        ],
        change: ["end_time": "13:00"],
        refusedChanges: [("equal times", ["end_time": "08:00"], .equalTimes)]
      ),
    ]
  }

  private static func inventory(_ house: House) -> [TypeRow] {
    [
      TypeRow(
        type: "inventory.item",
        new: [
          "name": " Saw ", "category": " Tools ", "purchase_date": "2026-01-31", "warranty_months": "1",
          "purchase_price": "99.5", "currency": "sek", "tags": ["Loud", "loud", "new"],
        ],
        computed: ["category_key", "warranty_expires_on"],
        refused: [
          ("price below zero", ["purchase_price": "-1"], .invalidNumber),
          ("price with three decimals", ["purchase_price": "1.234"], .invalidNumber),
          ("currency", ["currency": "KRONOR"], .invalidInput),
          ("months", ["warranty_months": "1201"], .invalidNumber),
        ],
        change: ["category": " Garden "],
        refusedChanges: [("currency", ["currency": "KRONOR"], .invalidInput)]
      ),
      TypeRow(
        type: "inventory.claim",
        new: ["item_id": house.id("item"), "issue": "smokes"],
        refused: [("remedy", ["requested_remedy": "apology"], .invalidInput)],
        change: ["issue": "burns"],
        refusedChanges: [("remedy", ["requested_remedy": "apology"], .invalidInput)]
      ),
      TypeRow(
        type: "inventory.saved_collection",
        new: ["name": "Garage", "filter": ["location": "Garage"]],
        computed: ["name_key"],
        refused: [
          ("unknown column", ["filter": ["lokation": "Garage"]], .unknownFields),
          ("two values", ["filter": ["location": ["Garage", "Attic"]]], .invalidInput),
        ],
        change: ["filter": ["location": "Attic"]],
        refusedChanges: [("unknown column", ["filter": ["lokation": "Garage"]], .unknownFields)]
      ),
    ]
  }

  private static func macros(_ house: House) -> [TypeRow] {
    [
      TypeRow(
        type: "macros.profile",
        new: ["display_name": "Olga", "timezone": "Asia/Kathmandu", "day_starts_at": "04:00"],
        refused: [
          ("zone", ["timezone": "Mars/Base"], .invalidTimeZone),
          ("number", ["timezone": 1], .invalidTimeZone),
        ],
        change: ["timezone": "Asia/Tokyo"],
        refusedChanges: [
          ("zone", ["timezone": "Mars/Base"], .invalidTimeZone),
          ("truth", ["timezone": true], .invalidTimeZone),
        ]
      ),
      TypeRow(
        type: "macros.goal",
        new: ["day_type": "rest", "protein_g": "150.44", "carbs_g": "200", "fat_g": "70"],
        computed: ["kcal", "effective_from"],
        refused: [("day", ["day_type": "feast"], .invalidInput)],
        change: ["fat_g": "60.6"],
        refusedChanges: [("day", ["day_type": "feast"], .invalidInput)]
      ),
      TypeRow(
        type: "macros.carb_cycle",
        new: ["weekday": "1", "day_type": "rest"],
        refused: [
          ("day", ["day_type": "feast"], .invalidInput), ("weekday", ["weekday": "8"], .invalidInput),
        ],
        change: ["day_type": "default"],
        refusedChanges: [("day", ["day_type": "feast"], .invalidInput)]
      ),
      TypeRow(
        type: "macros.preset",
        new: ["name": "Shake", "protein_g": "30.4"],
        computed: ["carbs_g", "position"],
        refused: [("nothing in it", ["protein_g": "0"], .invalidInput)],
        change: ["protein_g": "31.6"],
        refusedChanges: [("nothing in it", ["protein_g": "0"], .invalidInput)]
      ),
      TypeRow(
        type: "macros.entry",
        new: ["protein_g": "30.4", "note": "Shake"],
        computed: ["kcal", "eaten_at", "local_date"],
        refused: [
          ("nothing in it", ["protein_g": "0"], .invalidInput),
          (
            "day far away", ["eaten_at": "2026-01-12T08:00:00Z", "local_date": "2026-01-20"], .invalidDate
          ),
        ],
        change: ["fat_g": "2.6"],
        refusedChanges: [("nothing in it", ["protein_g": "0", "fat_g": "0"], .invalidInput)],
        volatile: ["eaten_at"]
      ),
    ]
  }

  private static func solar(_ house: House) -> [TypeRow] {
    let site = house.id("site")
    return [
      TypeRow(
        type: "solar.site",
        new: ["name": "Barn", "timezone": "Asia/Kathmandu"],
        computed: ["source_config", "poll_seconds"],
        refused: [
          ("zone", ["timezone": "UTC+2"], .invalidTimeZone), ("number", ["timezone": 1], .invalidTimeZone),
          ("polled without a source", ["source_kind": "poll"], .missingFields),
          ("four decimals", ["capacity_kw": "5.0001"], .invalidNumber),
        ],
        change: ["timezone": "Asia/Tokyo"],
        refusedChanges: [("zone", ["timezone": "Mars/Base"], .invalidTimeZone)]
      ),
      TypeRow(
        type: "solar.utility_account",
        new: ["site_id": house.id("shed"), "endpoint": "https://grid.example/in"],
        refused: [
          ("in the clear", ["endpoint": "http://grid.example/in"], .invalidInput),
          ("secret", ["auth_ref": "Top secret!"], .invalidName),
        ],
        change: ["endpoint": "https://grid.example/out"],
        refusedChanges: [("in the clear", ["endpoint": "http://grid.example/in"], .invalidInput)]
      ),
      TypeRow(
        type: "solar.recording",
        new: ["site_id": site, "type": "manual", "value": "12.5", "taken_at": "2026-01-12T08:00:00Z"],
        computed: ["quantity", "unit"],
        refused: [
          ("no sample", ["type": "auto", "value": nil], .staleReading),
          ("no account", ["type": "auto_push"], .wrongState),
          ("unit", ["quantity": "power", "unit": "kWh"], .invalidInput),
          ("in the future", ["taken_at": "2099-01-12T08:00:00Z"], .badTimestamp),
        ]
      ),
    ]
  }

  private static func trips(_ house: House) -> [TypeRow] {
    [
      TypeRow(
        type: "trips.conversation",
        new: ["title": "Summer"],
        change: ["title": "Late summer"]
      ),
      TypeRow(
        type: "trips.message",
        new: ["conversation_id": house.id("conversation"), "author": "user", "content": "Where to?"],
        computed: ["seq"],
        refused: [("as the assistant", ["author": "assistant"], .forbidden)]
      ),
      TypeRow(
        type: "trips.plan",
        new: ["title": "Hamnøy", "starts_on": "2026-02-10", "ends_on": "2026-02-12"],
        refused: [("days in order", ["ends_on": "2026-02-09"], .invalidInput)],
        change: ["ends_on": "2026-02-13"],
        refusedChanges: [("days in order", ["ends_on": "2026-02-09"], .invalidInput)]
      ),
      TypeRow(
        type: "trips.stop",
        new: ["plan_id": house.id("trip"), "day_no": "1", "position": "1", "name": "Reine"],
        refused: [("half a place", ["lat": "67.9"], .invalidInput), ("day", ["day_no": "0"], .invalidInput)],
        change: ["day_no": "2", "lat": "67.932412345678", "lon": "13.08912"],
        refusedChanges: [("day", ["day_no": "0"], .invalidInput)]
      ),
      TypeRow(
        type: "trips.plan_share",
        refused: [("as a record", ["plan_id": house.id("trip"), "level": "read"], .invalidInput)]
      ),
    ]
  }
}
