/// Words that are frequent in passwords, in English and Swedish: the bases that guessers combine and decorate.
enum CommonWords {
  /// The words as Unicode scalars, in lower case.
  static let all: [[UInt32]] = text.split { $0 == " " || $0 == "\n" }
    .map { GuessablePassword.scalars(String($0)) }

  private static let text = """
    password passwd passwort passord parola parol lösenord losenord hemligt hemlig secret secure security
    login logon signin access account admin administrator root user username guest test testing tester
    temp temporary default change changeme letmein welcome välkommen valkommen hello hejsan hej open
    opensesame sesame master superuser service server system database computer dator internet website
    company business office work jobb manager boss sales support example sample demo qwerty azerty
    iloveyou ilove love loveme lovely lover forever always family familj mother father mamma pappa sister
    brother baby babygirl babyboy angel honey sweet sweetheart darling hjärtat hjartat älskling alskling
    friend friends friendship happy smile beautiful pretty princess prinsessa prince queen king kungen
    heaven jesus christ god godis blessed faith hope peace trust freedom liberty destiny dream dreams
    dreamer sunshine sunflower sommar summer autumn spring winter vinter hösten våren january february
    march april june july august september october november december januari februari mars juni juli
    augusti oktober monday tuesday wednesday thursday friday saturday sunday weekend holiday christmas
    birthday morning midnight shadow dragon monkey tiger lion eagle falcon hawk wolf bear panther cobra
    spider snake shark dolphin turtle rabbit bunny kitty kitten puppy doggy horse pony chicken butterfly
    animal flower rose orange banana apple cherry strawberry chocolate cookie coffee cheese pepper ginger
    pumpkin peanut butter sugar candy pizza whatever nothing something anything everything someone nobody
    superman batman spiderman ironman starwars skywalker pokemon pikachu naruto minecraft fortnite
    zelda mario playstation xbox nintendo gamer games warcraft counterstrike metallica nirvana slipknot
    eminem football fotboll soccer hockey baseball basketball softball tennis golf racing runner cowboys
    yankees lakers steelers eagles patriots arsenal chelsea liverpool barcelona madrid juventus
    manchester united galaxy rangers celtic champion winner killer ninja samurai warrior knight wizard
    magic merlin gandalf phoenix thunder lightning storm fire ice matrix blaster rocket racer hunter
    trustno letme passme money dollar million rich lucky casino diamond golden silver purple yellow green
    black white blue red pink rainbow star stars moon ocean river mountain forest beach island america
    england london paris berlin stockholm göteborg goteborg malmö malmo sweden sverige svensk norway
    denmark germany france italy canada australia mexico brazil india china russia california texas
    florida newyork chicago boston dallas google facebook twitter instagram linkedin youtube microsoft
    windows android samsung iphone apple amazon netflix yahoo gmail hotmail mercedes porsche ferrari
    bmw audi toyota honda yamaha harley davidson corvette mustang camaro volvo saab
    michael jordan daniel david andrew anthony joshua justin matthew michelle jessica jennifer amanda
    ashley nicole samantha elizabeth stephanie victoria christopher christian alexander alexandra
    nicholas jonathan benjamin william thomas robert richard charles charlie patrick kevin brandon
    tyler george jackson james johnny john joseph peter steven sebastian gabriel vanessa veronica
    maria martin melissa natalie rachel rebecca sophie hannah emma anna anders johan erik lars karin
    kristina eva lena nils sven oskar gustav fredrik henrik magnus mikael andreas
    fuck fucker fucking fuckyou bitch asshole shit sexy pussy please thank thankyou gfhjkm ghbdtn
    professional international supernatural transformers sanfrancisco finalfantasy residentevil
    onedirection justinbieber hannahmontana jamesbond mortalkombat needforspeed greenlantern
    systemofadown cookiemonster warhammer stratocaster ticketmaster whosyourdaddy thecakeisalie
    leavemealone ingodwetrust ichliebedich sonnenschein weihnachtsbaum sonyericsson edwardcullen
    cosmopolitan nightcrawler punksnotdead devilmaycry avrillavigne michaeljackson jesuslovesme
    ilovemyfamily iseedeadpeople heterosexual masturbation pornographic massimiliano telechargement
    4815162342
    """
}
