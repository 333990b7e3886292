"""List the English words that add nothing to a request: they connect, or speak of programs and requests in general.

FUNCTION words alone make no quote. COMMON words may stand in any paraphrase: what a request is about is named by other
words. LOSSES take something away; a value that holds one is checked more strictly.
"""

_FUNCTION = """
a about above after against all also although am an and another any are as at be because been before being below
between both but by can cannot could d did do does during each either else even ever every few for from further had
has have having he her here him his how however i if in inside instead into is it its itself just least ll m may maybe
me merely might mine more most must my neither no nor not now of often on one ones onto or other others otherwise our
outside own per perhaps quite rather re really s same shall she should since so some sometimes soon still such t than
that the their them then there therefore these they thing things this those though through thus till to together too
toward towards two under unless until upon us ve very via was way ways we well were what whatever when whenever where
whereas wherever whether which whichever while who whoever whole whom whose why will with within without would yet you
your
"""
_COMMON = """
ability able abort abrupt absence absent absorb accept access accident accompany according accumulate accuracy achieve
acknowledge acquire across act action activate activity actual adapt add addition adequate adhere adjust admit adopt
advance advantage advice advise affect again agree ahead aim alert align allocate allow almost alone along already
alter alternative always amend amount announce annoying answer anticipate anybody anyone anything anyway anywhere
appear append application apply approach appropriate area argument arise arrange array arrive ask aspect assemble
assert assign assist assume assumption assure attach attacker attempt attention attribute author automatic available
avoid await aware away back background bad balance ban bare barrier based basic basis bear beaten become began begin
begun behave behavior belong bend benefit best better beyond big bind bit bitten blame blank block blown body boolean
boost borrow bother bought bound boundary brace bracket branch break brief bring broke broken bug build built burden
byte calculate call caller came cancel capability capacity care careful carry case catch category caught cause cease
certain chance change character chase cheap check choice choose chosen circumstance cite claim clarify class clean
clear clearly click client close clue code collapse collect collide colon combine come comma command comment commit
common communication compare compatible compiler complain complex component comprise compromise compute concept
concern conclude concrete condition confidence conflict conform confuse connect consequence consider consist constant
construct consult consume contain content context continue contract contribute control convenient convert coordinate
copy correct correspond corrupt cost count course cover crash create criterion cross crucial current custom cut cycle
damage danger dash data date dead deal debug deceive decide decimal decision declare deduce deep default defeat defer
define definition delay delegate deliver demand dense deny depend depth derive describe deserve design desired detach
detail detect determine developer deviate diagnose dictate dictionary die differ difficulty digit direct discover
discuss dispatch display distant distinct distort disturb divide docs document doing dominate done dot double doubt
down download draw drawn driven due duplicate duration duty eager earlier early easier easily easy eaten edge effect
efficiency effort element elsewhere embed emerge emit emphasis employ empty enable enclose encounter encourage end
endure enforce engage enhance enough ensure enter entire entirely entry environment equal equally error escape
especially essence establish estimate evaluate event everybody everything evidence exact exactly example exceed except
exclude execute exercise exist existence expand expect expensive experience expire explain explanation explicit
explore expose express extend extension extent extra extract face fact factor fail failure fair fall fallback fallen
false familiar family far fast faster fault favor feature fed feed fetch field file filter final finally find fine
finish firm first fit fix flag flaky flexibility flip float flow flown focus follow forbid force forget forgot form
formal format former forward found foundation framework free freedom freely freeze frequent fresh frozen fulfil full
fully function future gain gap gather general generic genuine get github give given global go goal goes going gone
good got govern grab grant great group grow grown guarantee guard guess guidance guideline habit half hand handle
handler hang happen hard hardcode harder hardly harm harmless head heavy height held help helper hence hidden hide
hierarchy hint history hit hold hole honor honour host hour huge id idea ideally identify idle ignore illegal
illustrate imagine imitate immediate impact implement implicit imply important impose impossible impression improve
incident include incompatible inconsistent incorrect increase incur indeed independent index indicate individual
induce infer infinite influence inform inherit initial inject inner input insert insight insist inspect instance
instruct intact integer integrate intend intent interact interest interface internal interpret interrupt intervene
introduce invalid invent investigate invoke involved isolate issue item iterate javascript join judge judgement jump
justify keep kept key kind know knowledge known lack language large larger last late later latter launch lay layer
layout lazy lead leak learn leave led left legacy legal length less let letter level library lie lifetime lift like
likely limit line link linux list literal little live load local locate location lock logic long longer look loop
loose loss lot low lower mac machine macos made main maintain majority make manage manipulate manner manually many map
margin mark match material matter maximum mean meant measure mechanism member memory mention merge message met method
middle mimic mind minimal minimum minor mirror mislead misread miss mistake mix mixture mode model modern modify
module moment monitor motion motivate motive move much multiple mutable naive name namely narrow native nature
navigate near nearly neat necessary need negative nest never new newline next nice nobody none norm normal nothing
notice notify notion number obey object obligation observe obsolete obtain obvious occasion occupy occur odd off offer
official ok old older omit once only open operate opinion opportunity oppose option order ordinary organize origin os
out outcome outer outline output over overall overflow overlap override owner ownership pace page pain pair parameter
parser part partial particular pass past patch path pattern pause peak peer people perceive percentage perception
perform period permanent permission permit persist person perspective phase phenomenon phrase pick piece place plain
plainly plan platform plus point policy poll pop populate portion position posix possess possible postpone potential
power practice precede precise predict prefer prefix prepare prescribe present preserve press pressure pretend prevent
previous principle print prior priority privilege probably probe problem procedure proceed process produce program
progress prohibit project promise proof propagate proper proportion propose protect protocol prove provide provoke
pull pure purely purpose push put qualify quality quantity question quick quickly quiet quietly quote race raise
random range rank rare rate ratio raw reach react read reader real reality reason rebuild recall receive recent
recognise recommendation record recover recursion reduce redundant refer reference refine reflect refresh refuse
regard region register regress regulate reject relate relationship relax release relevant reliable reload rely remain
remark remember remind rename render reopen repair repeat replace reply report represent reproduce request require
resistance resolve resource respect respond rest restore restrict result resume retain retrieve retry return reuse
reveal reverse review revise rewrite rich rid ridden right risen risk risky robust role root rotate rough round
routine rule run rung runtime safe safely safer sake sample say scale scan scenario schema scope search second section
security see seek seem seen segment select send sense sent separate sequence series serious serve server set settle
setup several severe shaken shallow shape share sharp shift short shortage shorten show shown shrink shut side sign
signal significance silent silly similar simple simpler simply simulate single sit situation size skill skip slash
slide slip slot slow slower slowly small smaller smart smooth software sold solid solution solve somebody someone
something sort source space span spare spawn speak special specify speed spell spend spent split spoken spot spread
squeeze stabilize stable stage stale stand standard star start startup state statement static status stay steady stem
step stick stolen stop store straight strange strategy strengthen stress stretch strict string strip strong struck
structure struggle stuck style subject submit substance substitute succeed success sudden suffer suffice suffix
suggest suitable suite sum summary sung sunk supply support suppose sure surface surprise surround survey survive
suspect suspend suspicion sustain swallow swap swept switch sworn symbol symptom synchronize syntax system tab table
tackle take taken target task taught team technique technology tell temporary tend tendency tension term terminate
test text theory thin think third thread threat threshold throw thrown tidy tie tight time tiny today told tolerate
tool top topic torn total touch trace track tradition trailing transfer transition translate transmit traverse treat
treatment trend trial tricky trigger trouble true trust truth try tune tuple turn twice type typescript typical typo
ugly unable unaffected uncertainty unchanged unclear undefined underlying underscore undo unexpected unhandled uniform
unify union unique unit unix unknown unlike unnecessary unneeded unrelated unreliable unsafe untouched unused unusual
unwrap up update upper usage use used useful useless user using usual usually vague valid validate validity value
vanish variable variant variation variety various vary vast verbose verify version view viewpoint violate visible
visit visitor vital void volume vulnerability wait walk want warn warrant waste wasteful watch weak weaken weight
weird went wide widen width win windows wish withdraw won word work workaround world worn worse worst wrap wrapper
write written wrong wrongly yes yield zero
"""
_LOSSES = """
bypass delete destroy disable discard drop erase kill lose lost overwrite purge remove truncate uninstall wipe
"""

FUNCTION = frozenset(_FUNCTION.split())
COMMON = FUNCTION | frozenset(_COMMON.split())
LOSSES = frozenset(_LOSSES.split())
