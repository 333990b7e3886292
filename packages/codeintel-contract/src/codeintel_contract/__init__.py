"""Define the texts and schemas of codeintel: phases, the contract file, payload models and violations.

This module is the public face: sibling packages import only from here, never from a module below; import-linter
enforces it. A name is loaded when it is first used, so that importing the package costs nothing.
"""

from codeintel_contract.face import load_on_use as load_on_use

TYPE_CHECKING = False  # `typing` would be paid for at every call of the client's hook
if TYPE_CHECKING:
    from codeintel_contract.flags import (
        OPTIONS as OPTIONS,
        Flags as Flags,
        check_combination as check_combination,
        parse_flags as parse_flags,
    )
    from codeintel_contract.git_traps import find_trap as find_trap
    from codeintel_contract.lint import lint_contract as lint_contract
    from codeintel_contract.loader import (
        Contract as Contract,
        ContractFileError as ContractFileError,
        load_contract as load_contract,
    )
    from codeintel_contract.names import (
        EXPLORATION_TOOLS as EXPLORATION_TOOLS,
        SCHEMA_VERSION as SCHEMA_VERSION,
        TOOL_NAMES as TOOL_NAMES,
        Intent as Intent,
        Key as Key,
        Phase as Phase,
        plain_tool as plain_tool,
    )
    from codeintel_contract.payloads import (
        PAYLOADS as PAYLOADS,
        Q1 as Q1,
        Q2 as Q2,
        Q3 as Q3,
        BranchIntervention as BranchIntervention,
        DocumentResearch as DocumentResearch,
        Exploration as Exploration,
        ImpactAnalysis as ImpactAnalysis,
        Merge as Merge,
        Payload as Payload,
        PostImplVerify as PostImplVerify,
        PreCommit as PreCommit,
        QualityReview as QualityReview,
        QueryFrame as QueryFrame,
        ReadyComplete as ReadyComplete,
        ReadyImpl as ReadyImpl,
        ReadyPlan as ReadyPlan,
        ReviewedFile as ReviewedFile,
        Semantic as Semantic,
        Slot as Slot,
        Verification as Verification,
        VerifyIntervention as VerifyIntervention,
        WithTools as WithTools,
    )
    from codeintel_contract.positions import (
        Document as Document,
        UnreadableYaml as UnreadableYaml,
        read_document as read_document,
        read_document_text as read_document_text,
    )
    from codeintel_contract.project_file import (
        FileRefused as FileRefused,
        open_file as open_file,
        read_file as read_file,
    )
    from codeintel_contract.quoting import (
        quote_name as quote_name,
        quote_output as quote_output,
        quote_problem as quote_problem,
        visible as visible,
    )
    from codeintel_contract.schema import Message as Message, PhaseEntry as PhaseEntry, project_schema as project_schema
    from codeintel_contract.tasks import (
        MIN_REASON as MIN_REASON,
        ChecklistItem as ChecklistItem,
        PlannedTask as PlannedTask,
        ReportedItem as ReportedItem,
        Task as Task,
        is_real_reason as is_real_reason,
    )
    from codeintel_contract.validate import (
        decode_payload as decode_payload,
        decode_row as decode_row,
        read_payload as read_payload,
    )
    from codeintel_contract.violations import ContractViolation as ContractViolation
    from codeintel_contract.wording import did_you_mean as did_you_mean
    from codeintel_contract.write_policy import (
        GATE_FILE as GATE_FILE,
        USER_FOLDER as USER_FOLDER,
        Gate as Gate,
        WritePolicy as WritePolicy,
        folder_of as folder_of,
        is_outside as is_outside,
        is_protected as is_protected,
    )

__getattr__ = load_on_use(globals())
